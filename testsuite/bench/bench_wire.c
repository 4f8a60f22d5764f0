/*
 * The rate of handshakes and of messages of the wire protocol.
 *
 *	bench_wire [SECONDS]
 *
 * In memory: two connected sessions. Over loopback: a server and a client with an event loop each.
 * A test plugin makes the credentials, except for one figure with a private munged, which does two
 * encodes and two decodes for each handshake.
 */
#include "plugin/plugin.h"
#include "unit/plugin/munged.h"
#include "unit/wire/nets.h"
#include "util/mem.h"
#include "wire/call.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void figure(const char *what, double count, double seconds)
{
	printf("%-58s %10.0f /s\n", what, count / seconds);
	fflush(stdout);
}

static void memory_handshakes(double seconds)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	double start = now_s();
	unsigned n = 0;

	for (; now_s() < start + seconds; n++) {
		struct pair p;

		pair_init(&p, &sp, &cp);
		pair_run(&p);
		pair_done(&p);
	}
	figure("handshakes in memory, both ends", n, now_s() - start);
}

static void memory_messages(double seconds, size_t size)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	uint8_t *body = xcalloc(1, size + 1);
	double start;
	uint64_t n = 0;
	char what[64];
	struct pair p;

	pair_init(&p, &sp, &cp);
	pair_run(&p);
	for (start = now_s(); now_s() < start + seconds;) {
		struct session_frame f;

		for (int i = 0; i < 64; i++)
			session_send_packed(p.client, MSG_SUBMIT, 1, body, size);
		pair_carry(p.client, p.server, SIZE_MAX);
		while (session_next(p.server, &f) > 0)
			n++;
	}
	snprintf(what, sizeof(what), "messages of %zu bytes in memory, sealed and opened", size);
	figure(what, (double)n, now_s() - start);
	pair_done(&p);
	free(body);
}

/* A server that answers PING, on a thread of its own. */
struct server {
	pthread_t thread;
	struct event_base *base;
	struct net *net;
	const struct armada_auth_ops *ops;
	void *handle;
	uint32_t uid;
	int stop_fd;
	char address[64];
};

static void on_open(void *arg, struct conn *c, const struct session_peer *peer)
{
	(void)arg;
	(void)c;
	(void)peer;
}

static void on_message(void *arg, struct conn *c, const struct msg_info *info, uint32_t request,
		       const uint8_t *body, size_t len)
{
	Armada__PingReply reply = ARMADA__PING_REPLY__INIT;
	struct arena *arena CLEANUP_ARENA = arena_new(0);

	(void)arg;
	if (msg_unpack(info, body, len, arena, NULL))
		conn_send(c, MSG_PING_REPLY, request, &reply);
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
	struct server *s = arg;
	struct event *stop = event_new(s->base, s->stop_fd, EV_READ, on_stop, s->base);

	event_add(stop, NULL);
	event_base_dispatch(s->base);
	event_free(stop);
	return NULL;
}

static void server_start(struct server *s)
{
	static const struct net_ops ops = {on_open, on_message, on_close, NULL};
	struct session_policy policy = pair_server_policy();
	struct err err = {""};
	uint16_t port = 0;

	s->base = event_base_new();
	s->net = net_new(s->base, &policy, s->ops, s->handle, NULL, &ops, s);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (net_listen(s->net, "127.0.0.1:0", &port, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
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
	event_base_free(s->base);
	close(s->stop_fd);
}

static struct call *dial(const struct server *s)
{
	struct session_policy policy = pair_client_policy();
	struct err err = {""};
	struct call *c;
	int code;

	policy.server_uid = s->uid;
	if (call_open(&c, s->address, &policy, s->ops, s->handle, 5000, &code, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return c;
}

static void loopback_handshakes(const struct server *s, const char *what, double seconds)
{
	double start = now_s();
	unsigned n = 0;

	for (; now_s() < start + seconds; n++)
		call_close(dial(s));
	figure(what, n, now_s() - start);
}

/* Up to `window` requests are pending at any time. */
static void loopback_asks(const struct server *s, double seconds, unsigned window)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	struct call *c = dial(s);
	double start = now_s();
	uint64_t n = 0;
	char what[64];

	for (; now_s() < start + seconds; n += window) {
		enum msg_type type;
		uint32_t id;
		void *m;

		for (unsigned i = 0; i < window; i++) {
			if (call_send(c, MSG_PING, i, &ping, NULL))
				exit(1);
		}
		for (unsigned i = 0; i < window; i++) {
			if (call_receive(c, arena, 5000, &type, &id, &m, NULL))
				exit(1);
		}
		arena_clear(arena);
	}
	snprintf(what, sizeof(what), "requests answered over loopback, %u pending", window);
	figure(what, (double)n, now_s() - start);
	call_close(c);
}

/* Both ends on event loops: the client has many pending requests. */
static void loop_to_loop(double seconds)
{
	enum { BATCH = 1000 };
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	struct nets n;
	double start;

	nets_init(&n, NULL, NULL);
	n.server.replies = true;
	net_dial(n.client.net, n.address);
	nets_until(&n, &n.client.opened, 1);
	for (start = now_s(); now_s() < start + seconds;) {
		for (uint32_t i = 0; i < BATCH; i++)
			conn_send(n.client.last, MSG_PING, i, &ping);
		nets_until(&n, &n.client.messages, n.client.messages + BATCH);
	}
	figure("requests answered, two loops on one thread", n.client.messages, now_s() - start);
	nets_done(&n);
}

static void munge_handshakes(double seconds)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	char *dir CLEANUP_FREE = xasprintf("%s/plugins.d", build ? build : ".");
	struct armada_option_value values[2] = {{.s = NULL}, {.i = 300000000}};
	struct armada_error error;
	struct err err = {""};
	struct server s = {.uid = geteuid()};
	struct munged m;
	struct plugin p;

	if (plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "munge", &err) || !munged_start(&m)) {
		printf("# no figure with munge: %s\n",
		       err.text[0] ? err.text : "munged does not run");
		return;
	}
	s.ops = p.ops;
	values[0].s = m.socket;
	if (s.ops->open(&s.handle, values, &plugin_host, &error))
		exit(1);
	server_start(&s);
	loopback_handshakes(&s, "handshakes with munge, one after the other", seconds);
	server_stop(&s);
	s.ops->close(s.handle);
	munged_stop(&m);
	plugin_free(&p);
}

int main(int argc, char **argv)
{
	/* both ends have the same uid, so they share a plugin */
	struct fake_auth auth = {.uid = 900, .gid = 90};
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	struct server s = {.ops = &fake_auth_ops, .handle = &auth, .uid = 900};

	memory_handshakes(seconds);
	memory_messages(seconds, 100);
	memory_messages(seconds, 65536);
	server_start(&s);
	loopback_handshakes(&s, "handshakes over loopback, one after the other", seconds);
	loopback_asks(&s, seconds, 1);
	loopback_asks(&s, seconds, 100);
	server_stop(&s);
	munge_handshakes(seconds);
	loop_to_loop(seconds);
	return 0;
}
