/*
 * The handshake: the steps from the first byte to the open session, in which both ends prove their uid.
 *
 * In: decoded messages of the peer, and results of the auth plugin. Out: messages, and the state open or
 * failed. The table of steps and events at the end has a function for each expected event; every other event
 * ends the session. Nothing of a peer is trusted before its credential was checked, or the kernel has named
 * it.
 */
#include "config.h"

#include "util/le.h"
#include "util/mem.h"
#include "wire/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The names of roles are part of the protocol and never change. */
static const char *role_name(enum role role)
{
	return role == ROLE_CLIENT ? "client" : role == ROLE_AGENT ? "agent" : "server";
}

static enum role role_of(const char *name)
{
	return strcmp(name, "client") == 0  ? ROLE_CLIENT
	       : strcmp(name, "agent") == 0 ? ROLE_AGENT
					    : ROLE_NONE;
}

static void hash_bytes(crypto_generichash_state *h, const void *data, size_t len)
{
	uint8_t size[8];

	le_put(size, len, sizeof(size));
	crypto_generichash_update(h, size, sizeof(size));
	crypto_generichash_update(h, data, len);
}

/*
 * The hash of everything that both ends sent, so that a credential for one session is not valid in
 * another. Each part is hashed with its length, so two different transcripts never have the same bytes.
 */
static void transcript(const struct session *s, uint32_t version, const char *role,
		       const char *host, const char *release, const uint8_t client_key[32],
		       const char *direction, uint8_t ret_hash[32])
{
	crypto_generichash_state h;
	uint8_t v[4];

	le_put(v, version, sizeof(v));
	crypto_generichash_init(&h, NULL, 0, 32);
	hash_bytes(&h, "armada session", 14);
	hash_bytes(&h, direction, strlen(direction));
	hash_bytes(&h, v, sizeof(v));
	hash_bytes(&h, s->server_hello.data, s->server_hello.len);
	hash_bytes(&h, role, strlen(role));
	hash_bytes(&h, host, strlen(host));
	hash_bytes(&h, release, strlen(release));
	hash_bytes(&h, client_key, 32);
	crypto_generichash_final(&h, ret_hash, 32);
}

static const char TO_SERVER[] = "client to server", TO_CLIENT[] = "server to client";

/* Both session keys; the hashes of the two directions keep the two streams apart. */
static bool keys_make(struct session *s, const uint8_t peer_key[32])
{
	bool server = s->policy.self == ROLE_SERVER;
	uint8_t rx[32], tx[32];
	int rc = server ? crypto_kx_server_session_keys(rx, tx, s->public_key, s->secret_key,
							peer_key)
			: crypto_kx_client_session_keys(rx, tx, s->public_key, s->secret_key,
							peer_key);

	if (rc)
		return false;
	seal_init(&s->tx, tx, s->ours);
	seal_init(&s->rx, rx, s->expected);
	sodium_memzero(rx, sizeof(rx));
	sodium_memzero(tx, sizeof(tx));
	sodium_memzero(s->secret_key, sizeof(s->secret_key));
	return true;
}

void session_greet(struct session *s)
{
	const struct session_standing *standing = s->policy.standing;
	Armada__ServerHello hello = ARMADA__SERVER_HELLO__INIT;

	hello.version_min = PROTOCOL_MIN;
	hello.version_max = PROTOCOL_MAX;
	hello.release = (char *)PACKAGE_VERSION;
	hello.cluster = s->cluster;
	hello.nonce = (ProtobufCBinaryData){sizeof(s->nonce), s->nonce};
	hello.public_key = (ProtobufCBinaryData){sizeof(s->public_key), s->public_key};
	if (standing) {
		hello.standby = standing->standby;
		hello.name = (char *)standing->name;
		hello.leader = (char *)standing->leader;
		hello.lag_ms = standing->lag_ms;
	}
	hello.kernel = s->policy.kernel.known;
	msg_pack(&hello, &s->server_hello);
	session_put(s, MSG_SERVER_HELLO, 0, &hello);
}

/* Believed once the controller has proved its uid: the hello is part of the transcript. */
static void note_standing(struct session *s, const Armada__ServerHello *hello)
{
	struct session_standing *to = &s->peer.standing;

	to->standby = hello->standby;
	to->lag_ms = hello->lag_ms;
	snprintf(to->name, sizeof(to->name), "%s", hello->name);
	snprintf(to->leader, sizeof(to->leader), "%s", hello->leader);
}

/* credential NULL: the kernel has told both ends who the other is. */
static void put_client_hello(struct session *s, const char *credential)
{
	Armada__ClientHello hello = ARMADA__CLIENT_HELLO__INIT;

	hello.version = PROTOCOL_MAX;
	hello.release = (char *)PACKAGE_VERSION;
	hello.role = (char *)role_name(s->policy.self);
	hello.host = (char *)s->policy.host;
	hello.public_key = (ProtobufCBinaryData){sizeof(s->public_key), s->public_key};
	hello.auth = (char *)(s->policy.auth ? s->policy.auth : "");
	hello.identifies = s->policy.identity != NULL;
	hello.kernel = credential == NULL;
	if (credential)
		hello.credential = (ProtobufCBinaryData){strlen(credential), (uint8_t *)credential};
	if (protobuf_c_message_get_packed_size(&hello.base) + FRAME_HEADER > FRAME_CLEAR_MAX) {
		session_fail(s, EXIT_REFUSED, "our credential is too long for a session");
		return;
	}
	s->step = STEP_CLIENT_PROOF;
	session_put(s, MSG_CLIENT_HELLO, 0, &hello);
}

/* May the kernel's word replace the credentials, as this client sees it? */
static bool knows_server(const struct session_policy *p)
{
	return p->self == ROLE_CLIENT && p->kernel.known && p->kernel.uid == p->server_uid;
}

static void on_server_hello(struct session *s, const struct session_input *in)
{
	const Armada__ServerHello *hello = in->message;

	if (hello->version_min > PROTOCOL_MAX || hello->version_max < PROTOCOL_MIN) {
		session_fail(
			s, EXIT_REFUSED,
			"the controller has release %s and supports protocol versions %u to %u, "
			"this is release %s with versions %d to %d: install the same release on "
			"both ends",
			hello->release, hello->version_min, hello->version_max, PACKAGE_VERSION,
			PROTOCOL_MIN, PROTOCOL_MAX);
		return;
	}
	if (hello->nonce.len != 32 || hello->public_key.len != 32) {
		session_fail(s, EXIT_REFUSED,
			     "the controller's hello has a nonce or a key of the wrong length");
		return;
	}
	if (s->policy.cluster && strcmp(s->policy.cluster, hello->cluster) != 0) {
		session_fail(s, EXIT_NOT_PERMITTED,
			     "the controller belongs to cluster '%s', not to '%s': see cluster and "
			     "controllers in armada.conf",
			     hello->cluster, s->policy.cluster);
		return;
	}
	if (!s->cluster)
		s->cluster = xstrdup(hello->cluster);
	snprintf(s->peer.release, sizeof(s->peer.release), "%s", hello->release);
	note_standing(s, hello);
	buf_add(&s->server_hello, in->body, in->len);
	transcript(s, PROTOCOL_MAX, role_name(s->policy.self), s->policy.host, PACKAGE_VERSION,
		   s->public_key, TO_SERVER, s->ours);
	memcpy(s->peer.binding, s->ours, sizeof(s->peer.binding));
	transcript(s, PROTOCOL_MAX, role_name(s->policy.self), s->policy.host, PACKAGE_VERSION,
		   s->public_key, TO_CLIENT, s->expected);
	if (!keys_make(s, hello->public_key.data)) {
		session_fail(s, EXIT_REFUSED, "the controller's public key is invalid");
		return;
	}
	s->peer.by_kernel = hello->kernel && knows_server(&s->policy);
	if (s->peer.by_kernel)
		put_client_hello(s, NULL);
	else
		s->step = STEP_CLIENT_ENCODE;
}

static void on_client_encoded(struct session *s, const struct session_input *in)
{
	put_client_hello(s, in->text);
}

/* Keep the peer's credential as a string for the shell's worker. */
static void credential_keep(struct session *s, const ProtobufCBinaryData *credential)
{
	s->credential = xstrndup((const char *)credential->data, credential->len);
}

/* The server takes the client's uid from the kernel. Its proof is empty: the client does the same. */
static void open_by_kernel(struct session *s)
{
	Armada__ServerProof proof = ARMADA__SERVER_PROOF__INIT;

	s->peer.by_kernel = true;
	s->peer.uid = s->policy.kernel.uid;
	s->peer.gid = s->policy.kernel.gid;
	session_put(s, MSG_SERVER_PROOF, 0, &proof);
	s->step = s->identifies ? STEP_SERVER_IDENTITY : STEP_OPEN;
}

static void on_client_hello(struct session *s, const struct session_input *in)
{
	const Armada__ClientHello *hello = in->message;

	s->peer.role = role_of(hello->role);
	snprintf(s->peer.host, sizeof(s->peer.host), "%s", hello->host);
	snprintf(s->peer.release, sizeof(s->peer.release), "%s", hello->release);
	if (hello->version < PROTOCOL_MIN || hello->version > PROTOCOL_MAX) {
		session_fail(
			s, EXIT_REFUSED,
			"protocol version %u of release %s is not supported: this controller has "
			"release %s and supports versions %d to %d",
			hello->version, hello->release, PACKAGE_VERSION, PROTOCOL_MIN,
			PROTOCOL_MAX);
		return;
	}
	if (s->peer.role == ROLE_NONE || hello->public_key.len != 32 ||
	    hello->kernel == (hello->credential.len > 0)) {
		session_fail(s, EXIT_REFUSED,
			     "the client's hello has an unknown role, or no key or no "
			     "credential");
		return;
	}
	if (hello->kernel && (!s->policy.kernel.known || s->peer.role != ROLE_CLIENT)) {
		session_fail(s, EXIT_NOT_PERMITTED,
			     "the kernel does not vouch for this peer: a credential is needed");
		return;
	}
	if (s->policy.auth && hello->auth[0] && strcmp(s->policy.auth, hello->auth) != 0) {
		session_fail(
			s, EXIT_NOT_PERMITTED,
			"this cluster authenticates users with auth/%s, not with auth/%s: see plugins.auth "
			"in armada.conf",
			s->policy.auth, hello->auth);
		return;
	}
	transcript(s, hello->version, hello->role, hello->host, hello->release,
		   hello->public_key.data, TO_SERVER, s->expected);
	memcpy(s->peer.binding, s->expected, sizeof(s->peer.binding));
	transcript(s, hello->version, hello->role, hello->host, hello->release,
		   hello->public_key.data, TO_CLIENT, s->ours);
	if (!keys_make(s, hello->public_key.data)) {
		session_fail(s, EXIT_REFUSED, "the client's public key is invalid");
		return;
	}
	if (hello->identifies && s->peer.role != ROLE_CLIENT) {
		session_fail(s, EXIT_NOT_PERMITTED, "only a client may act for another user");
		return;
	}
	s->identifies = hello->identifies;
	if (hello->kernel) {
		open_by_kernel(s);
		return;
	}
	credential_keep(s, &hello->credential);
	s->step = STEP_SERVER_DECODE;
}

/* Was the credential that was just checked made for this session? */
static bool for_this_session(struct session *s, const struct session_input *in)
{
	free(s->credential);
	s->credential = NULL;
	if (in->payload_len == 32 && sodium_memcmp(in->payload, s->expected, 32) == 0)
		return true;
	session_fail(s, EXIT_NOT_PERMITTED,
		     "the credential was not made for this session: messages were "
		     "replayed or changed on their way");
	return false;
}

static bool may_be_agent(const struct session_policy *p, uint32_t uid)
{
	for (size_t i = 0; i < p->agent_uid_count; i++) {
		if (p->agent_uids[i] == uid)
			return true;
	}
	return false;
}

static void on_server_decoded(struct session *s, const struct session_input *in)
{
	if (!for_this_session(s, in))
		return;
	if (s->peer.role == ROLE_AGENT && !may_be_agent(&s->policy, in->uid)) {
		session_fail(s, EXIT_NOT_PERMITTED,
			     "uid %" PRIu32
			     " may not take the role of a node's agent: see agent_user "
			     "in armada.conf",
			     in->uid);
		return;
	}
	s->peer.uid = in->uid;
	s->peer.gid = in->gid;
	s->step = STEP_SERVER_ENCODE;
}

static void on_server_encoded(struct session *s, const struct session_input *in)
{
	Armada__ServerProof proof = ARMADA__SERVER_PROOF__INIT;

	proof.credential = (ProtobufCBinaryData){strlen(in->text), (uint8_t *)in->text};
	if (proof.credential.len > FRAME_CLEAR_MAX - FRAME_HEADER - 16) {
		session_fail(s, EXIT_REFUSED,
			     "the controller's credential is too long for a session");
		return;
	}
	session_put(s, MSG_SERVER_PROOF, 0, &proof);
	s->step = s->identifies ? STEP_SERVER_IDENTITY : STEP_OPEN;
}

static void on_identity(struct session *s, const struct session_input *in)
{
	const Armada__Identity *m = in->message;

	if (m->vouch == (m->token.len > 0)) {
		session_fail(s, EXIT_REFUSED,
			     "the client named neither a token nor a user, or both");
		return;
	}
	if (!m->vouch)
		credential_keep(s, &m->token);
	s->named = (struct session_identity){m->vouch ? NULL : s->credential, m->uid};
	s->to_check = true;
	s->step = STEP_SERVER_CHECK;
}

/* The server accepted the identity of its client. */
static void on_checked(struct session *s, const struct session_input *in)
{
	Armada__Identified m = ARMADA__IDENTIFIED__INIT;

	free(s->credential);
	s->credential = NULL;
	s->peer.identified = true;
	s->peer.gateway_uid = s->peer.uid;
	s->peer.uid = m.uid = in->uid;
	s->peer.gid = in->gid;
	s->peer.token = in->token;
	session_put(s, MSG_IDENTIFIED, 0, &m);
	s->step = STEP_OPEN;
}

/* Only now, because the server has proven who it is. */
static void name_identity(struct session *s, const struct session_identity *id)
{
	Armada__Identity m = ARMADA__IDENTITY__INIT;

	if (id->token)
		m.token = (ProtobufCBinaryData){strlen(id->token), (uint8_t *)id->token};
	else
		m.vouch = true;
	m.uid = id->uid;
	session_put(s, MSG_IDENTITY, 0, &m);
}

/* The client knows who the server is. */
static void open_client(struct session *s, uint32_t uid, uint32_t gid)
{
	s->peer.role = ROLE_SERVER;
	s->peer.uid = uid;
	s->peer.gid = gid;
	s->step = STEP_OPEN;
	if (!s->policy.identity)
		return;
	s->step = STEP_CLIENT_IDENTITY;
	name_identity(s, s->policy.identity);
}

static void on_server_proof(struct session *s, const struct session_input *in)
{
	const Armada__ServerProof *proof = in->message;

	if (s->peer.by_kernel == (proof->credential.len > 0)) {
		session_fail(s, EXIT_REFUSED,
			     s->peer.by_kernel ? "the controller sent an unexpected credential"
					       : "the controller sent no credential");
		return;
	}
	if (s->peer.by_kernel) {
		open_client(s, s->policy.kernel.uid, s->policy.kernel.gid);
		return;
	}
	credential_keep(s, &proof->credential);
	s->step = STEP_CLIENT_DECODE;
}

static void on_client_decoded(struct session *s, const struct session_input *in)
{
	if (!for_this_session(s, in))
		return;
	if (in->uid != s->policy.server_uid) {
		session_fail(s, EXIT_NOT_PERMITTED,
			     "the controller runs as uid %" PRIu32 " instead of uid %" PRIu32
			     ": see controller_user in armada.conf",
			     in->uid, s->policy.server_uid);
		return;
	}
	open_client(s, in->uid, in->gid);
}

static void on_identified(struct session *s, const struct session_input *in)
{
	s->peer.identified = true;
	s->peer.acts_for = ((const Armada__Identified *)in->message)->uid;
	s->step = STEP_OPEN;
}

static void on_refusal(struct session *s, const struct session_input *in)
{
	const Armada__Refusal *refusal = in->message;
	int code = refusal->code;

	if (code != EXIT_NOT_PERMITTED && code != EXIT_TRY_AGAIN)
		code = EXIT_REFUSED;
	session_fail(s, code, "%s", refusal->text);
}

/* The text of the auth plugin, after the step that failed. */
static void on_work_failed(struct session *s, const struct session_input *in)
{
	static const char *const whose[STEPS] = {
		[STEP_SERVER_DECODE] = "the credential was refused: ",
		[STEP_SERVER_ENCODE] = "the controller cannot make its credential: ",
		[STEP_CLIENT_ENCODE] = "",
		[STEP_CLIENT_DECODE] = "the controller's credential was refused: ",
	};
	int code = in->code == -EAGAIN ? EXIT_TRY_AGAIN
		   : s->step == STEP_SERVER_DECODE || s->step == STEP_CLIENT_DECODE
			   ? EXIT_NOT_PERMITTED
			   : EXIT_REFUSED;

	free(s->credential);
	s->credential = NULL;
	session_fail(s, code, "%s%s", whose[s->step], in->text);
}

static void on_unexpected(struct session *s, const struct session_input *in)
{
	(void)in;
	session_fail(s, EXIT_REFUSED,
		     "received a message that the session does not allow at this step");
}

/* A result of work that is no longer needed: the session failed meanwhile. */
static void on_late(struct session *s, const struct session_input *in)
{
	(void)s;
	(void)in;
}

typedef void step_fn(struct session *s, const struct session_input *in);

/* clang-format off */
#define ROW(step, hello, client, proof, refusal, encoded, decoded, failed)                         \
	[step] = { [EVENT_SERVER_HELLO] = hello, [EVENT_CLIENT_HELLO] = client,                    \
		   [EVENT_SERVER_PROOF] = proof, [EVENT_REFUSAL] = refusal,                        \
		   [EVENT_OTHER] = step == STEP_FAILED ? on_late : on_unexpected,                  \
		   [EVENT_IDENTITY] = step == STEP_FAILED ? on_late                                \
				      : step == STEP_SERVER_IDENTITY ? on_identity : on_unexpected, \
		   [EVENT_IDENTIFIED] = step == STEP_FAILED ? on_late                              \
					: step == STEP_SERVER_CHECK ? on_checked                   \
					: step == STEP_CLIENT_IDENTITY ? on_identified : on_unexpected, \
		   [EVENT_ENCODED] = encoded, [EVENT_DECODED] = decoded,                           \
		   [EVENT_WORK_FAILED] = failed }
#define no on_unexpected
static step_fn *const steps[STEPS][EVENTS] = {
	/*  step		server hello	 client hello	  server proof	   refusal	encoded		   decoded	      failed */
	ROW(STEP_SERVER_WAIT,	no,		 on_client_hello, no,		   no,		no,		   no,		      no),
	ROW(STEP_SERVER_DECODE,	no,		 no,		  no,		   no,		no,		   on_server_decoded, on_work_failed),
	ROW(STEP_SERVER_ENCODE,	no,		 no,		  no,		   no,		on_server_encoded, no,		      on_work_failed),
	ROW(STEP_CLIENT_WAIT,	on_server_hello, no,		  no,		   on_refusal,	no,		   no,		      no),
	ROW(STEP_CLIENT_ENCODE,	no,		 no,		  no,		   on_refusal,	on_client_encoded, no,		      on_work_failed),
	ROW(STEP_CLIENT_PROOF,	no,		 no,		  on_server_proof, on_refusal,	no,		   no,		      no),
	ROW(STEP_CLIENT_DECODE,	no,		 no,		  no,		   on_refusal,	no,		   on_client_decoded, on_work_failed),
	ROW(STEP_SERVER_IDENTITY, no,		 no,		  no,		   no,		no,		   no,		      no),
	ROW(STEP_SERVER_CHECK,	no,		 no,		  no,		   no,		no,		   no,		      no),
	ROW(STEP_CLIENT_IDENTITY, no,		 no,		  no,		   on_refusal,	no,		   no,		      no),
	ROW(STEP_OPEN,		no,		 no,		  no,		   on_refusal,	no,		   no,		      no),
	ROW(STEP_FAILED,	on_late,	 on_late,	  on_late,	   on_late,	on_late,	   on_late,	      on_late),
};
#undef no
#undef ROW
/* clang-format on */

void session_step(struct session *s, enum session_event event, const struct session_input *input)
{
	steps[s->step][event](s, input);
}
