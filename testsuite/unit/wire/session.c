/*
 * The handshake of a session: roles, cluster, plugin and version must match; failed credentials,
 * replayed and invalid messages. Each refused peer gets the error.
 */
#include "tap/tap.h"
#include "unit/wire/pair.h"
#include "util/mem.h"
#include "wire/state.h"

#include <errno.h>
#include <string.h>

static void is_error(const struct session *s, int code, const char *part, const char *name)
{
	int got = 0;
	const char *text = session_error(s, &got);

	is_int(session_state(s), SESSION_FAILED, "%s: the session fails", name);
	has_str(text, part, "%s: the error", name);
	is_int(got, code, "%s: exit code", name);
}

static void test_open(size_t chunk)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	struct session_frame f;
	struct pair p;

	pair_init(&p, &sp, &cp);
	for (int i = 0; i < 6; i++) {
		pair_carry(p.server, p.client, chunk);
		pair_carry(p.client, p.server, chunk);
		pair_work(p.server, &p.server_auth);
		pair_work(p.client, &p.client_auth);
	}
	is_int(session_state(p.server), SESSION_OPEN, "the server is open (%zu bytes at a time)",
	       chunk);
	is_int(session_state(p.client), SESSION_OPEN, "the client is open");
	is_int(session_peer(p.server)->uid, 1000, "the server knows the client's uid");
	is_int(session_peer(p.server)->gid, 100, "the server knows its gid");
	is_str(session_peer(p.server)->host, "login", "the server knows its host");
	is_int(session_peer(p.server)->role, ROLE_CLIENT, "the server knows its role");
	is_int(session_peer(p.client)->uid, 900, "the client knows the server's uid");
	is_str(session_cluster(p.client), "test", "the client knows the cluster");
	for (uint32_t i = 0; i < 3; i++)
		session_send(p.client, MSG_PING, 7 + i, &ping);
	pair_carry(p.client, p.server, chunk);
	for (uint32_t i = 0; i < 3; i++) {
		is_int(session_next(p.server, &f), 1, "a frame arrives");
		is_int(f.info->type, MSG_PING, "it is of its type");
		is_int(f.request, 7 + i, "it has the number of the request");
		is_int((long long)f.len, 0, "its body is empty");
	}
	is_int(session_next(p.server, &f), 0, "there are no more frames");
	pair_done(&p);
}

static void test_roles(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct pair p;

	cp.self = ROLE_AGENT;
	pair_init(&p, &sp, &cp);
	pair_run(&p);
	is_error(p.server, 4, "uid 1000 may not take the role", "a uid that is not the agents'");
	is_error(p.client, 4, "agent_user", "the agent gets the reason");
	pair_done(&p);

	pair_init(&p, &sp, &cp);
	p.client_auth.uid = 901;
	pair_run(&p);
	is_int(session_state(p.client), SESSION_OPEN, "the agents' uid is accepted");
	pair_done(&p);

	cp.self = ROLE_CLIENT;
	cp.server_uid = 77;
	pair_init(&p, &sp, &cp);
	pair_run(&p);
	is_error(p.client, 4, "not for uid 900",
		 "a server of another uid cannot decode the credential");
	pair_done(&p);

	cp.server_uid = 900;
	pair_init(&p, &sp, &cp);
	for (int i = 0; i < 2; i++) { /* up to the server's proof, which is made by another uid */
		pair_carry(p.server, p.client, SIZE_MAX);
		pair_work(p.client, &p.client_auth);
		pair_carry(p.client, p.server, SIZE_MAX);
		pair_work(p.server, &p.server_auth);
		p.server_auth.uid = 66;
	}
	pair_run(&p);
	is_error(p.client, 4, "runs as uid 66", "a server of another uid");
	pair_done(&p);
}

static void test_mismatch(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct pair p;

	cp.cluster = "other";
	pair_init(&p, &sp, &cp);
	pair_run(&p);
	is_error(p.client, 4, "belongs to cluster 'test', not to 'other'", "another cluster");
	pair_done(&p);

	cp.cluster = "test";
	cp.auth = "none";
	pair_init(&p, &sp, &cp);
	pair_run(&p);
	is_error(p.client, 4, "auth/fake, not with auth/none", "another auth plugin");
	pair_done(&p);
}

static void clear_frame(struct session *to, uint16_t type, const void *message)
{
	struct buf body CLEANUP_BUF = {0}, out CLEANUP_BUF = {0};
	struct frame_header h = {.type = type};

	msg_pack(message, &body);
	h.len = (uint32_t)body.len;
	memcpy(frame_begin(&out, &h, NULL), body.data, body.len);
	frame_end(&out, &h, NULL);
	session_feed(to, out.data, out.len);
}

static void test_versions(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	Armada__ServerHello sh = ARMADA__SERVER_HELLO__INIT;
	Armada__ClientHello ch = ARMADA__CLIENT_HELLO__INIT;
	struct pair p;

	pair_init(&p, &sp, &cp);
	sh.version_min = 7;
	sh.version_max = 9;
	sh.release = (char *)"4.2";
	clear_frame(p.client, MSG_SERVER_HELLO, &sh);
	is_error(p.client, 1, "release 4.2 and supports protocol versions 7 to 9",
		 "a newer server");
	ch.version = 3;
	ch.release = (char *)"2.0";
	ch.role = (char *)"client";
	clear_frame(p.server, MSG_CLIENT_HELLO, &ch);
	is_error(p.server, 1, "protocol version 3 of release 2.0 is not supported",
		 "a newer client");
	pair_done(&p);

	pair_init(&p, &sp, &cp);
	clear_frame(p.server, MSG_CLIENT_HELLO, &ch);
	pair_carry(p.server, p.client, SIZE_MAX);
	pair_work(p.client, &p.client_auth);
	is_error(p.client, 1, "protocol version 3 of release 2.0 is not supported",
		 "the client gets the reason");
	pair_done(&p);
}

static void test_work_failures(void)
{
	static const struct {
		int server_encode, server_decode, client_encode, client_decode;
		int code;
		const char *text;
	} rows[] = {
		{0, -EPERM, 0, 0, 4, "the credential was refused: fake: decode fails"},
		{0, -EAGAIN, 0, 0, 75, "the credential was refused: fake"},
		{-EIO, 0, 0, 0, 1, "the controller cannot make its credential: fake"},
		{-EAGAIN, 0, 0, 0, 75, "the controller cannot make its credential: fake"},
		{0, 0, -EAGAIN, 0, 75, "fake: encode fails"},
		{0, 0, 0, -EPERM, 4, "the controller's credential was refused: fake"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
		struct pair p;

		pair_init(&p, &sp, &cp);
		p.server_auth.encode_fails = rows[i].server_encode;
		p.server_auth.decode_fails = rows[i].server_decode;
		p.client_auth.encode_fails = rows[i].client_encode;
		p.client_auth.decode_fails = rows[i].client_decode;
		pair_run(&p);
		is_error(p.client, rows[i].code, rows[i].text, rows[i].text);
		pair_done(&p);
	}
}

/* A credential of one session is not valid in another one, nor in the other direction. */
static void test_replay(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct buf hello CLEANUP_BUF = {0};
	uint8_t seed[64] = {9};
	struct session *other;
	struct pair p;

	pair_init(&p, &sp, &cp);
	pair_carry(p.server, p.client, SIZE_MAX);
	pair_work(p.client, &p.client_auth);
	buf_add(&hello, session_out(p.client)->data, session_out(p.client)->len);
	other = session_new(&sp, seed);
	session_feed(other, hello.data, hello.len);
	pair_work(other, &p.server_auth);
	is_error(other, 4, "was not made for this session", "a hello replayed to a new session");
	session_free(other);
	pair_done(&p);

	/* an attacker in the middle changes the host */
	pair_init(&p, &sp, &cp);
	pair_carry(p.server, p.client, SIZE_MAX);
	pair_work(p.client, &p.client_auth);
	memcpy(memmem(session_out(p.client)->data, session_out(p.client)->len, "login", 5), "lozin",
	       5);
	pair_run(&p);
	is_error(p.client, 4, "was not made for this session", "a changed hello");
	pair_done(&p);
}

static void test_garbage(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct session_work w;
	uint8_t big[8192] = {0};
	struct pair p;

	pair_init(&p, &sp, &cp);
	session_feed(p.server, (const uint8_t *)"GET / HTTP/1.1\r\n\r\n", 18);
	is_error(p.server, 1, "not the next message of an Armada session", "an HTTP request");
	ok(!session_work(p.server, &w), "it causes no work");
	pair_done(&p);

	pair_init(&p, &sp, &cp);
	frame_header_put(&(struct frame_header){.len = 4085, .type = MSG_CLIENT_HELLO}, big);
	session_feed(p.server, big, FRAME_HEADER);
	is_error(p.server, 1, "not the next message",
		 "a hello above 4 KiB is refused because of its header");
	pair_done(&p);

	pair_init(&p, &sp, &cp);
	pair_carry(p.server, p.client, SIZE_MAX);
	pair_work(p.client, &p.client_auth);
	pair_carry(p.client, p.server, SIZE_MAX);
	session_feed(p.server, big, sizeof(big));
	is_error(p.server, 1, "too much data before",
		 "further bytes while the credential is checked");
	session_decoded(p.server, big, 32, 1000, 100);
	is_int(session_state(p.server), SESSION_FAILED, "a late result changes nothing");
	pair_done(&p);
}

/* Every pair of step and event is defined, and only the expected ones continue. */
/* Both ends know the other from the kernel. */
static void know(struct session_policy *sp, struct session_policy *cp)
{
	*sp = pair_server_policy();
	*cp = pair_client_policy();
	sp->kernel = (struct kernel_peer){true, 1234, 567};
	cp->kernel = (struct kernel_peer){true, 900, 90};
}

static void test_kernel(void)
{
	static const struct session_identity ann = {.uid = 77};
	struct session_identity id = {0};
	struct session_policy sp, cp;
	struct pair p;

	know(&sp, &cp);
	cp.identity = &ann;
	pair_init(&p, &sp, &cp);
	p.server_auth.encode_fails = p.server_auth.decode_fails = -EIO;
	p.client_auth.encode_fails = p.client_auth.decode_fails = -EIO;
	pair_run(&p);
	ok(session_identity(p.server, &id) && id.uid == 77,
	   "the kernel knows both ends: the client may act for another user");
	session_identified(p.server, 77, 78, 0);
	pair_run(&p);
	is_int(session_state(p.client), SESSION_OPEN, "the session opens without credentials");
	ok(session_peer(p.client)->by_kernel && session_peer(p.server)->by_kernel,
	   "both ends say so");
	is_int(session_peer(p.server)->gateway_uid, 1234, "the server has the uid of the kernel");
	is_int(session_peer(p.client)->uid, 900, "the client has that of the server");
	pair_done(&p);

	know(&sp, &cp);
	pair_init(&p, &sp, &cp);
	pair_run(&p);
	is_int(session_peer(p.server)->gid, 567, "the server has the gid of the kernel");
	pair_done(&p);
}

/* One end does not know the other from the kernel: credentials prove both. */
static void test_kernel_unknown(void)
{
	static const char *const names[] = {"the server is not told", "the client is not told",
					    "another process listens", "an agent"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct session_policy sp, cp;
		struct pair p;

		know(&sp, &cp);
		if (i == 0)
			sp.kernel.known = false;
		else if (i == 1)
			cp.kernel.known = false;
		else if (i == 2)
			cp.kernel.uid = 0;
		else
			cp.self = ROLE_AGENT;
		pair_init(&p, &sp, &cp);
		p.client_auth.uid = i == 3 ? 901 : 1000;
		pair_run(&p);
		is_int(session_state(p.client), SESSION_OPEN, "%s: the session opens", names[i]);
		ok(!session_peer(p.client)->by_kernel && !session_peer(p.server)->by_kernel,
		   "%s: by credentials", names[i]);
		is_int(session_peer(p.server)->uid, i == 3 ? 901 : 1000,
		       "%s: the uid of its credential", names[i]);
		pair_done(&p);
	}
}

/* Ends that want more from the kernel than they may have. */
static void test_kernel_claims(void)
{
	static const uint8_t key[32] = {9};
	Armada__ClientHello hello = ARMADA__CLIENT_HELLO__INIT;
	Armada__ServerProof proof = ARMADA__SERVER_PROOF__INIT;
	struct session_policy sp, cp;
	struct pair p;

	hello.version = 1;
	hello.role = (char *)"client";
	hello.kernel = true;
	hello.public_key = (ProtobufCBinaryData){sizeof(key), (uint8_t *)key};
	for (int i = 0; i < 3; i++) {
		know(&sp, &cp);
		sp.kernel.known = i != 0;
		hello.role = (char *)(i == 1 ? "agent" : "client");
		hello.credential = (ProtobufCBinaryData){i == 2, (uint8_t *)key};
		pair_init(&p, &sp, &cp);
		clear_frame(p.server, MSG_CLIENT_HELLO, &hello);
		is_error(p.server, i == 2 ? 1 : 4, i == 2 ? "no credential" : "does not vouch",
			 i == 0   ? "a client that the kernel did not name"
			 : i == 1 ? "an agent without a credential"
				  : "a client with a credential and without the need");
		pair_done(&p);
	}
	for (int i = 0; i < 2; i++) {
		know(&sp, &cp);
		sp.kernel.known = i != 0;
		proof.credential = (ProtobufCBinaryData){(size_t)i, (uint8_t *)"x"};
		pair_init(&p, &sp, &cp);
		pair_carry(p.server, p.client, SIZE_MAX);
		pair_work(p.client, &p.client_auth);
		clear_frame(p.client, MSG_SERVER_PROOF, &proof);
		is_error(p.client, 1, i ? "unexpected credential" : "sent no credential",
			 i ? "a server with a credential that nobody asked for"
			   : "a server that does not prove its uid");
		pair_done(&p);
	}
}

static void test_table(void)
{
	static const uint8_t goes_on[STEPS][EVENTS] = {
		[STEP_SERVER_WAIT][EVENT_CLIENT_HELLO] = 1,
		[STEP_SERVER_DECODE][EVENT_DECODED] = 1,
		[STEP_SERVER_ENCODE][EVENT_ENCODED] = 1,
		[STEP_CLIENT_WAIT][EVENT_SERVER_HELLO] = 1,
		[STEP_CLIENT_ENCODE][EVENT_ENCODED] = 1,
		[STEP_CLIENT_PROOF][EVENT_SERVER_PROOF] = 1,
		[STEP_CLIENT_DECODE][EVENT_DECODED] = 1,
		[STEP_SERVER_IDENTITY][EVENT_IDENTITY] = 1,
		[STEP_SERVER_CHECK][EVENT_IDENTIFIED] = 1,
		[STEP_CLIENT_IDENTITY][EVENT_IDENTIFIED] = 1,
	};
	Armada__Refusal refusal = ARMADA__REFUSAL__INIT;
	int bad = 0;

	for (int step = 0; step < STEPS; step++) {
		for (int event = 0; event < EVENTS; event++) {
			struct session_policy policy = step < STEP_CLIENT_WAIT
							       ? pair_server_policy()
							       : pair_client_policy();
			struct session_input in = {.text = "text", .message = &refusal};
			uint8_t seed[64] = {1};
			struct session *s;

			if (goes_on[step][event])
				continue;
			s = session_new(&policy, seed);
			s->step = (enum step)step;
			session_step(s, (enum session_event)event, &in);
			bad += s->step != STEP_FAILED;
			session_free(s);
		}
	}
	is_int(bad, 0, "every other pair of step and event ends the session");
}

int main(void)
{
	test_open(SIZE_MAX);
	test_open(1);
	test_roles();
	test_mismatch();
	test_versions();
	test_work_failures();
	test_replay();
	test_garbage();
	test_kernel();
	test_kernel_unknown();
	test_kernel_claims();
	test_table();
	return done();
}
