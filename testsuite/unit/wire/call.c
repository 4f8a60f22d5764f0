/*
 * Blocking calls to a server on another thread: replies, timeouts, closed connections, refused
 * connections. They run with a fake auth plugin and with munge.
 */
#include "plugin/plugin.h"
#include "tap/tap.h"
#include "unit/plugin/munged.h"
#include "unit/wire/pair.h"
#include "wire/call.h"
#include "wire/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct server {
	pthread_t thread;
	struct event_base *base;
	struct net *net;
	struct event *stop;
	int stop_fd;
	char dir[32]; /* of its Unix socket; empty: it listens on loopback */
	char address[64];
};

static void on_open(void *arg, struct conn *c, const struct session_peer *peer)
{
	(void)arg;
	(void)c;
	(void)peer;
}

/*
 * The server answers PING, gives LIST_JOBS a long answer, closes the connection on SHOW_JOB, and does not
 * answer LIST_NODES.
 */
static void on_message(void *arg, struct conn *c, const struct msg_info *info, uint32_t request,
		       const uint8_t *body, size_t len)
{
	Armada__PingReply reply = ARMADA__PING_REPLY__INIT;
	Armada__ErrorReply error = ARMADA__ERROR_REPLY__INIT;
	char text[1001];

	(void)arg;
	(void)body;
	(void)len;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error.code = 1;
	error.text = text;
	reply.log_seq = conn_peer(c)->uid;
	if (info->type == MSG_PING)
		conn_send(c, MSG_PING_REPLY, request, &reply);
	else if (info->type == MSG_LIST_JOBS)
		conn_send(c, MSG_ERROR, request, &error);
	else if (info->type == MSG_SHOW_JOB)
		conn_close(c, "test");
}

static void on_close(void *arg, struct conn *c, const char *why)
{
	(void)arg;
	(void)c;
	(void)why;
}

static void on_stop(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(arg);
}

static void *serve(void *arg)
{
	event_base_dispatch(((struct server *)arg)->base);
	return NULL;
}

static void server_start(struct server *s, const struct session_policy *policy,
			 const struct armada_auth_ops *ops, void *handle)
{
	static const struct net_ops net_ops = {on_open, on_message, on_close, NULL};
	struct err err = {""};
	uint16_t port;

	char address[64] = "127.0.0.1:0";

	if (s->dir[0])
		snprintf(address, sizeof(address), "%s/sock", s->dir);
	s->base = event_base_new();
	s->net = net_new(s->base, policy, ops, handle, NULL, &net_ops, s);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	s->stop = event_new(s->base, s->stop_fd, EV_READ, on_stop, s->base);
	event_add(s->stop, NULL);
	if (net_listen(s->net, address, &port, &err))
		bail("%s", err.text);
	if (s->dir[0])
		memcpy(s->address, address, sizeof(address));
	else
		snprintf(s->address, sizeof(s->address), "127.0.0.1:%u", port);
	pthread_create(&s->thread, NULL, serve, s);
}

static void server_stop(struct server *s)
{
	uint64_t one = 1;

	if (write(s->stop_fd, &one, sizeof(one)) < 0)
		abort();
	pthread_join(s->thread, NULL);
	net_free(s->net);
	event_free(s->stop);
	event_base_free(s->base);
	close(s->stop_fd);
}

static void test_ask(struct call *c, uint32_t uid)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	Armada__PingReply *reply = NULL;
	struct err err = {""};
	enum msg_type type = 0;
	uint32_t id = 0, in_order = 0;

	is_int(call_ask(c, MSG_PING, &ping, arena, 5000, &type, (void **)&reply, &err), 0,
	       "the request succeeds: %s", err.text);
	is_int(type, MSG_PING_REPLY, "the reply is of its type");
	is_int(reply ? (long long)reply->log_seq : -1, uid,
	       "the server knows the uid of the caller");
	for (uint32_t i = 0; i < 500; i++)
		call_send(c, MSG_PING, 1000 + i, &ping, &err);
	for (uint32_t i = 0; i < 500; i++) {
		void *m;

		if (call_receive(c, arena, 5000, &type, &id, &m, &err))
			break;
		in_order += id == 1000 + i;
	}
	is_int(in_order, 500, "500 requests at once are answered in order");
}

static void test_ends(struct call *c)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__ListNodesRequest list = ARMADA__LIST_NODES_REQUEST__INIT;
	Armada__ShowJobRequest show = ARMADA__SHOW_JOB_REQUEST__INIT;
	struct err err = {""};
	enum msg_type type;
	void *m;

	is_int(call_ask(c, MSG_LIST_NODES, &list, arena, 100, &type, &m, &err), -ETIMEDOUT,
	       "a request without an answer times out");
	has_str(err.text, "timed out", "the error says so");
	is_int(call_ask(c, MSG_SHOW_JOB, &show, arena, 5000, &type, &m, &err), -ECONNRESET,
	       "a request on a closed connection fails");
	has_str(err.text, "closed the connection", "the error says so");
}

static void refused(const char *address, const struct session_policy *policy,
		    struct fake_auth *auth, int want_code, const char *words)
{
	struct call *c = NULL;
	struct err err = {""};
	int code = 0;

	ok(call_open(&c, address, policy, &fake_auth_ops, auth, 300, &code, &err) < 0,
	   "the connection is refused: %s", words);
	is_int(code, want_code, "exit code");
	has_str(err.text, words, "the error gives the reason");
	ok(!c, "no call is returned");
}

static void test_refusals(const struct server *s)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct session_policy policy = pair_client_policy();
	struct fake_auth auth = {.uid = 1000, .gid = 100};
	int mute = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(in);
	char address[64];

	policy.cluster = "other";
	refused(s->address, &policy, &auth, 4, "belongs to cluster 'test', not to 'other'");
	policy.cluster = NULL;
	policy.self = ROLE_AGENT;
	refused(s->address, &policy, &auth, 4, "uid 1000 may not take the role");
	policy.self = ROLE_CLIENT;
	auth.encode_fails = -EAGAIN;
	refused(s->address, &policy, &auth, 75, "fake: encode fails");
	auth.encode_fails = 0;
	refused("localhost", &policy, &auth, 1, "\"host:port\"");
	refused("/nowhere/socket", &policy, &auth, 75, "No such file");
	if (bind(mute, (struct sockaddr *)&in, len) ||
	    getsockname(mute, (struct sockaddr *)&in, &len))
		bail("bind");
	snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(in.sin_port));
	refused(address, &policy, &auth, 75, "Connection refused");
	listen(mute, 1);
	refused(address, &policy, &auth, 75, "timed out");
	close(mute);
}

static void test_fake(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct fake_auth server_auth = {.uid = 900, .gid = 90},
			 client_auth = {.uid = 1000, .gid = 100};
	struct server s = {0};
	struct call *c;
	struct err err = {""};
	int code = 0;

	server_start(&s, &sp, &fake_auth_ops, &server_auth);
	if (call_open(&c, s.address, &cp, &fake_auth_ops, &client_auth, 5000, &code, &err))
		bail("%s", err.text);
	is_str(call_cluster(c), "test", "the cluster has its name");
	is_int(call_peer(c)->uid, 900, "the server has its uid");
	test_ask(c, 1000);
	test_ends(c);
	call_close(c);
	test_refusals(&s);
	server_stop(&s);
}

/* Takes this effective uid, if the test runs as root. */
static void be(uid_t uid)
{
	if (getuid() == 0 && (seteuid(0) || seteuid(uid)))
		bail("cannot be uid %u", (unsigned)uid);
}

static void start_on_socket(struct server *s, bool trust, uid_t uid, struct fake_auth *auth)
{
	struct session_policy policy = pair_server_policy();

	*s = (struct server){.dir = "/tmp/armada-call-XXXXXX"};
	if (!mkdtemp(s->dir) || chmod(s->dir, 0777))
		bail("%s", s->dir);
	policy.trust_kernel = trust;
	be(uid);
	server_start(s, &policy, &fake_auth_ops, auth);
	be(getuid());
}

static void stop_on_socket(struct server *s)
{
	server_stop(s);
	rmdir(s->dir);
}

/*
 * Requests whose answers nobody reads meanwhile, more than both sockets and the server's output have room
 * for: the server stops to read, so the client has to read while it sends.
 */
static void test_both_full(void)
{
	enum { REQUESTS = 6000 };
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__ListJobsRequest list = ARMADA__LIST_JOBS_REQUEST__INIT;
	struct session_policy policy = pair_client_policy();
	struct fake_auth server_auth = {.uid = 900, .gid = 90},
			 client_auth = {.uid = 1000, .gid = 100};
	uint32_t sent = 0, in_order = 0, id = 0;
	struct err err = {""};
	enum msg_type type;
	struct call *c;
	struct server s;
	int code = 0;
	void *m;

	start_on_socket(&s, false, getuid(), &server_auth);
	if (call_open(&c, s.address, &policy, &fake_auth_ops, &client_auth, 60000, &code, &err))
		bail("%s", err.text);
	while (sent < REQUESTS && call_send(c, MSG_LIST_JOBS, 1 + sent, &list, &err) == 0)
		sent++;
	is_int(sent, REQUESTS, "requests are sent while their answers wait: %s", err.text);
	while (in_order < sent && call_receive(c, arena, 60000, &type, &id, &m, &err) == 0 &&
	       id == 1 + in_order)
		in_order++;
	is_int(in_order, sent, "the answers come in order: %s", err.text);
	call_close(c);
	stop_on_socket(&s);
}

/* No credential can be made: what works here works by the word of the kernel alone. */
static void test_kernel(void)
{
	struct fake_auth no = {.uid = 1, .encode_fails = -EAGAIN, .decode_fails = -EAGAIN};
	uid_t server = getuid() ? getuid() : 4321, client = getuid() ? getuid() : 4322;
	struct session_policy policy = pair_client_policy();
	struct err err = {""};
	struct call *c = NULL;
	struct server s;
	char words[64];
	int code = 0;

	policy.trust_kernel = true;
	policy.server_uid = server;
	start_on_socket(&s, true, server, &no);
	be(client);
	if (call_open(&c, s.address, &policy, &fake_auth_ops, &no, 5000, &code, &err))
		bail("%s", err.text);
	be(getuid());
	is_int(call_peer(c)->uid, server, "the kernel names the server");
	test_ask(c, client);
	call_close(c);
	policy.server_uid = server + 1;
	snprintf(words, sizeof(words), "a process of uid %u listens there", (unsigned)server);
	refused(s.address, &policy, &no, 4, words);
	policy.server_uid = server;
	policy.trust_kernel = false;
	refused(s.address, &policy, &no, 75, "fake: encode fails");
	stop_on_socket(&s);

	policy.trust_kernel = true;
	start_on_socket(&s, false, server, &no);
	refused(s.address, &policy, &no, 75, "fake: encode fails");
	stop_on_socket(&s);
	if (getuid()) {
		skip("only root can listen for another user");
		return;
	}
	start_on_socket(&s, true, 0, &no);
	refused(s.address, &policy, &no, 75, "fake: encode fails");
	stop_on_socket(&s);
}

/* The same with munge. */
static void test_munge(const struct armada_auth_ops *ops, const struct munged *m,
		       const struct munged *other)
{
	struct armada_option_value values[2] = {{.s = m->socket}, {.i = 300000000}},
				   strange[2] = {{.s = other->socket}, {.i = 300000000}};
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct armada_error e = {""};
	void *handle = NULL, *stranger = NULL;
	struct server s = {0};
	struct call *c;
	struct err err = {""};
	int code = 0;

	cp.server_uid = geteuid();
	if (ops->open(&handle, values, &plugin_host, &e) ||
	    ops->open(&stranger, strange, &plugin_host, &e))
		bail("%s", e.text);
	server_start(&s, &sp, ops, handle);
	if (call_open(&c, s.address, &cp, ops, handle, 5000, &code, &err))
		bail("%s", err.text);
	is_int(call_peer(c)->uid, geteuid(), "munge: both ends are authenticated");
	test_ask(c, geteuid());
	call_close(c);
	ok(call_open(&c, s.address, &cp, ops, stranger, 5000, &code, &err) < 0,
	   "munge: a client with another key is refused");
	has_str(err.text, "made with another key", "the error says so");
	is_int(code, 4, "the exit code is 4");
	cp.server_uid = geteuid() + 1;
	ok(call_open(&c, s.address, &cp, ops, handle, 5000, &code, &err) < 0,
	   "munge: a server with an unexpected uid is refused");
	has_str(err.text, "made for another user", "it cannot decode the credential");
	server_stop(&s);
	ops->close(handle);
	ops->close(stranger);
}

int main(void)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	struct munged m, other;
	struct err err = {""};
	struct plugin p;
	char dir[512];

	test_fake();
	test_both_full();
	test_kernel();
	snprintf(dir, sizeof(dir), "%s/plugins.d", build ? build : ".");
	if (plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "munge", &err))
		bail("%s", err.text);
	if (munged_start(&m) && munged_start(&other)) {
		test_munge(p.ops, &m, &other);
		munged_stop(&m);
		munged_stop(&other);
	} else {
		skip("munged cannot run here");
	}
	plugin_free(&p);
	return done();
}
