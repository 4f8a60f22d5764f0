/*
 * A server and a client on one event loop, with callbacks that count events and may answer or
 * flood.
 */
#include "unit/wire/nets.h"

#include "util/clock.h"
#include "util/mem.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

static void on_open(void *arg, struct conn *c, const struct session_peer *peer)
{
	struct side *s = arg;

	(void)peer;
	s->opened++;
	s->last = c;
}

static void on_message(void *arg, struct conn *c, const struct msg_info *info, uint32_t request,
		       const uint8_t *body, size_t len)
{
	struct side *s = arg;
	Armada__PingReply reply = ARMADA__PING_REPLY__INIT;

	(void)body;
	(void)len;
	s->messages++;
	s->last_request = request;
	if (s->watch && request == s->watch)
		s->watched_at = s->messages;
	for (int64_t end = clock_us(CLOCK_MONOTONIC) + s->busy_us; clock_us(CLOCK_MONOTONIC) < end;)
		;
	if (s->replies && info->type == MSG_PING)
		conn_send(c, MSG_PING_REPLY, request, &reply);
	for (unsigned i = 0; i < s->flood; i++) {
		uint8_t *junk = xcalloc(1, s->flood_size);

		conn_send_packed(c, MSG_LIST_NODES_REPLY, request, junk, s->flood_size);
		free(junk);
	}
}

static void on_close(void *arg, struct conn *c, const char *why)
{
	struct side *s = arg;

	s->closed++;
	snprintf(s->why, sizeof(s->why), "%s", why ? why : "(hung up)");
	if (s->last == c)
		s->last = NULL;
}

static const struct net_ops ops = {
	.on_open = on_open, .on_message = on_message, .on_close = on_close};

void nets_init_policies(struct nets *n, const struct net_limits *limits, const char *listen,
			const struct session_policy *server, const struct session_policy *client)
{
	struct err err = {""};
	uint16_t port = 0;

	*n = (struct nets){.base = event_base_new(),
			   .server_auth = {.uid = 900, .gid = 90},
			   .client_auth = {.uid = 1000, .gid = 100}};
	n->server.net =
		net_new(n->base, server, &fake_auth_ops, &n->server_auth, limits, &ops, &n->server);
	n->client.net =
		net_new(n->base, client, &fake_auth_ops, &n->client_auth, limits, &ops, &n->client);
	if (net_listen(n->server.net, listen ? listen : "127.0.0.1:0", &port, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	if (listen)
		snprintf(n->address, sizeof(n->address), "%s", listen);
	else
		snprintf(n->address, sizeof(n->address), "127.0.0.1:%u", port);
}

void nets_init(struct nets *n, const struct net_limits *limits, const char *listen)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();

	nets_init_policies(n, limits, listen, &sp, &cp);
}

void nets_done(struct nets *n)
{
	net_free(n->client.net);
	net_free(n->server.net);
	event_base_free(n->base);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
}

/* One iteration of the loop, 10 ms at most. */
static void turn(struct nets *n)
{
	struct event *tick = evtimer_new(n->base, on_tick, NULL);

	event_add(tick, &(struct timeval){.tv_usec = 10000});
	event_base_loop(n->base, EVLOOP_ONCE);
	event_free(tick);
}

bool nets_until(struct nets *n, const unsigned *counter, unsigned want)
{
	int64_t end = now_ms() + 60000;

	while (*counter < want && now_ms() < end)
		turn(n);
	return *counter >= want;
}

void nets_run_ms(struct nets *n, unsigned ms)
{
	int64_t end = now_ms() + ms;

	while (now_ms() < end)
		turn(n);
}

int nets_connect(const struct nets *n)
{
	const char *colon = strrchr(n->address, ':');
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atoi(colon + 1)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 5},
		   sizeof(struct timeval));
	if (connect(fd, (struct sockaddr *)&in, sizeof(in)))
		abort();
	return fd;
}
