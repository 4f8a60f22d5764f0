/*
 * Hostile peers beside good ones: connections with half of a message, with junk, without data, or
 * closed at once do not disturb the good ones.
 */
#include "tap/tap.h"
#include "unit/wire/pair.h"
#include "wire/call.h"
#include "wire/conn_state.h"
#include "util/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GOOD = 50, BAD = 1000, HOLD = 32, MOST = 16, ACCEPTED_AT_ONCE = 64 };

struct server {
	pthread_t thread;
	struct event_base *base;
	struct net *net;
	struct fake_auth auth;
	int stop_fd;
	uint16_t port;
	char path[64];
	unsigned max_conns, refused; /* written by the loop's thread only, read after its end */
};

static atomic_bool over;
static atomic_uint attacks;

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

	(void)arg;
	(void)info;
	(void)body;
	(void)len;
	conn_send(c, MSG_PING_REPLY, request, &reply);
}

static void on_close(void *arg, struct conn *c, const char *why)
{
	struct server *s = arg;
	unsigned now = HASH_COUNT(s->net->conns);

	(void)c;
	s->max_conns = now > s->max_conns ? now : s->max_conns;
	s->refused += why != NULL;
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

static void server_start(struct server *s, const char *dir)
{
	static const struct net_ops ops = {on_open, on_message, on_close, NULL};
	static const struct net_limits limits = {.handshakes_per_address = MOST,
						 .handshake_timeout_ms = 1000,
						 .conns_per_uid = 64,
						 .output_soft = 65536,
						 .output_hard = 1 << 20};
	struct session_policy policy = pair_server_policy();
	struct err err = {""};

	*s = (struct server){.auth = {.uid = 900, .gid = 90}};
	snprintf(s->path, sizeof(s->path), "%s/s", dir);
	s->base = event_base_new();
	s->net = net_new(s->base, &policy, &fake_auth_ops, &s->auth, &limits, &ops, s);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (net_listen(s->net, "127.0.0.1:0", &s->port, &err) ||
	    net_listen(s->net, s->path, NULL, &err))
		bail("%s", err.text);
	pthread_create(&s->thread, NULL, serve, s);
}

static int attacker_connect(uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct linger now = {.l_onoff = 1};

	/* closed with a reset, so that no port stays in use */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (connect(fd, (struct sockaddr *)&in, sizeof(in))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Connections that are closed at once, or stay open after junk, half of a header, or nothing. */
static void *attack(void *arg)
{
	const struct server *s = arg;
	int held[HOLD];
	unsigned n = 0;
	char junk[4096];

	memset(junk, 0x55, sizeof(junk));
	memset(held, -1, sizeof(held));
	while (!atomic_load(&over)) {
		static const size_t sizes[] = {0, 0, 5, 12, sizeof(junk)};
		int fd = attacker_connect(s->port);
		unsigned what = n++ % 5;

		atomic_fetch_add(&attacks, 1);
		if (fd < 0)
			continue;
		if (what >= 2)
			send(fd, junk, sizes[what], MSG_NOSIGNAL | MSG_DONTWAIT);
		if (what == 0) {
			close(fd);
			continue;
		}
		if (held[n % HOLD] >= 0)
			close(held[n % HOLD]);
		held[n % HOLD] = fd;
	}
	for (int i = 0; i < HOLD; i++) {
		if (held[i] >= 0)
			close(held[i]);
	}
	return NULL;
}

static bool ask(struct call *c)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	enum msg_type type;
	void *m;

	return call_ask(c, MSG_PING, &ping, arena, 5000, &type, &m, NULL) == 0 &&
	       type == MSG_PING_REPLY;
}

static struct call *open_good(const struct server *s)
{
	static struct fake_auth auth = {.uid = 1000, .gid = 100};
	struct session_policy policy = pair_client_policy();
	struct call *c = NULL;
	struct err err = {""};
	int code;

	if (call_open(&c, s->path, &policy, &fake_auth_ops, &auth, 5000, &code, &err))
		diag("%s", err.text);
	return c;
}

static void test_storm(struct server *s)
{
	struct call *old = open_good(s);
	unsigned asked = 0, answered = 0, opened = 0;
	int64_t end = clock_us(CLOCK_MONOTONIC) + 30000000;
	pthread_t threads[3];
	uint64_t one = 1;

	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, attack, s);
	for (; old && clock_us(CLOCK_MONOTONIC) < end &&
	       (asked < GOOD || atomic_load(&attacks) < BAD);
	     asked++) {
		struct call *c = open_good(s);

		opened += c != NULL;
		answered += c && ask(c) && ask(old);
		call_close(c);
	}
	atomic_store(&over, true);
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ok(asked >= GOOD, "%u good sessions during %u bad ones", asked, atomic_load(&attacks));
	is_int(opened, asked, "every good session opened");
	is_int(answered, asked, "each was answered, and so was one that was open before");
	call_close(old);
	if (write(s->stop_fd, &one, sizeof(one)) < 0)
		abort();
	pthread_join(s->thread, NULL);
	ok(s->refused > 0, "%u bad connections were closed with a reason", s->refused);
	/* those that gave their place to others in one iteration of the loop are freed at its end */
	ok(s->max_conns <= MOST + ACCEPTED_AT_ONCE + 8,
	   "there were never more than %u connections at once", s->max_conns);
}

int main(void)
{
	char dir[] = "/tmp/armada-storm-XXXXXX";
	struct server s;

	if (!mkdtemp(dir))
		bail("mkdtemp");
	server_start(&s, dir);
	test_storm(&s);
	net_free(s.net);
	event_base_free(s.base);
	close(s.stop_fd);
	rmdir(dir);
	return done();
}
