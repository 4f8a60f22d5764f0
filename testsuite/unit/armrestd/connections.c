/*
 * The places of connections, over real sockets. The test takes the place of libmicrohttpd: it gets
 * the connections that are served, and says when they are closed.
 */
#include "armrestd/connections.h"

#include "tap/tap.h"
#include "util/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 2, SPARE = 64, CLIENTS = MOST + SPARE + 8, WAIT_S = 120, STEP_MS = 10 };

struct MHD_Connection {
	union MHD_ConnectionInfo info;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct MHD_Connection served[CLIENTS];
static int served_count;

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *http,
							enum MHD_ConnectionInfoType type, ...)
{
	return type == MHD_CONNECTION_INFO_CONNECTION_FD ? &http->info : NULL;
}

enum MHD_Result MHD_add_connection(struct MHD_Daemon *daemon, MHD_socket fd,
				   const struct sockaddr *from, socklen_t len)
{
	(void)daemon, (void)from, (void)len;
	pthread_mutex_lock(&mutex);
	served[served_count++].info.connect_fd = fd;
	pthread_mutex_unlock(&mutex);
	return MHD_YES;
}

static int count(void)
{
	int n;

	pthread_mutex_lock(&mutex);
	n = served_count;
	pthread_mutex_unlock(&mutex);
	return n;
}

/* A gateway with MOST places, and its clients. */
struct gateway {
	struct connections *c;
	struct sockaddr_in at;
	int clients[CLIENTS], client_count;
};

static void gateway_start(struct gateway *g, int64_t timeout_us)
{
	socklen_t len = sizeof(g->at);
	struct err err;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memset(g, 0, sizeof(*g));
	served_count = 0;
	g->at.sin_family = AF_INET;
	g->at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&g->at, len) < 0 || listen(fd, CLIENTS) < 0 ||
	    getsockname(fd, (struct sockaddr *)&g->at, &len) < 0)
		bail("no listener: %s", strerror(errno));
	g->c = connections_new(MOST, timeout_us);
	connections_add_listener(g->c, fd, NULL, false);
	if (connections_start(g->c, &err) < 0)
		bail("%s", err.text);
}

/* The library has closed the connection. */
static void closed(struct gateway *g, int i)
{
	connections_notify(g->c, &served[i], NULL, MHD_CONNECTION_NOTIFY_CLOSED);
	close(served[i].info.connect_fd);
	served[i].info.connect_fd = -1;
}

static void gateway_stop(struct gateway *g)
{
	connections_stop(g->c);
	for (int i = 0; i < served_count; i++)
		if (served[i].info.connect_fd >= 0)
			closed(g, i);
	for (int i = 0; i < g->client_count; i++)
		close(g->clients[i]);
	connections_free(g->c);
}

static bool readable(int fd, int wait_ms)
{
	struct pollfd p = {fd, POLLIN, 0};

	return poll(&p, 1, wait_ms) > 0;
}

/* A new client; true: it is served. Otherwise it can read why not. */
static bool arrives(struct gateway *g)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), before = count();
	time_t end = time(NULL) + WAIT_S;

	g->clients[g->client_count++] = fd;
	if (fd < 0 || connect(fd, (struct sockaddr *)&g->at, sizeof(g->at)) < 0)
		bail("no connection: %s", strerror(errno));
	while (count() == before) {
		if (readable(fd, STEP_MS))
			return false;
		if (time(NULL) > end)
			bail("a client is neither served nor refused");
	}
	return true;
}

/* Waits for the end of a client's connection. */
static bool ended(const struct gateway *g, int i)
{
	char byte;

	return readable(g->clients[i], WAIT_S * 1000) && recv(g->clients[i], &byte, 1, 0) == 0;
}

/* Marks a connection, later than all marks before. */
static void mark(struct gateway *g, int i, enum connection_state state)
{
	int64_t now_us = clock_us(CLOCK_MONOTONIC);

	while (clock_us(CLOCK_MONOTONIC) == now_us)
		;
	connections_mark(g->c, &served[i], state);
}

static void test_places(void)
{
	char answer[1024] = "";
	struct gateway g;

	gateway_start(&g, INT64_C(3600000000));
	ok(arrives(&g) && arrives(&g), "clients are served while there are places");
	mark(&g, 0, CONNECTION_ANSWER);
	mark(&g, 1, CONNECTION_STREAM);
	ok(!arrives(&g), "one more is refused while all are answered");
	ok(recv(g.clients[2], answer, sizeof(answer) - 1, MSG_WAITALL) > 0, "... and reads");
	has_str(answer, "HTTP/1.1 503 ", "... an answer");
	has_str(answer, "rest.connections", "... that says why");
	has_str(answer, "Retry-After: 1", "... and when to try again");
	mark(&g, 0, CONNECTION_WAITS);
	ok(arrives(&g), "one that waits for a request loses its place to a new one");
	ok(ended(&g, 0), "... and its connection");
	ok(!readable(g.clients[1], 0), "a stream stays");
	closed(&g, 0);
	mark(&g, 2, CONNECTION_BODY);
	mark(&g, 1, CONNECTION_WAITS);
	ok(arrives(&g), "a further one is served");
	ok(ended(&g, 3), "... in the place of the one that has waited longest");
	ok(!readable(g.clients[1], 0), "... and not of the other");
	mark(&g, 2, CONNECTION_ANSWER);
	ok(arrives(&g) && ended(&g, 1), "a mark of a connection that is ended does not revive it");
	gateway_stop(&g);
}

static void test_spare(void)
{
	struct gateway g;
	int n = 0;

	gateway_start(&g, INT64_C(3600000000));
	while (n < CLIENTS && arrives(&g))
		n++;
	is_int(n, MOST + SPARE, "so many connections are there while the library closes none");
	ok(ended(&g, n - MOST - 1), "... of which the places are in use");
	ok(!readable(g.clients[n - MOST + 1], 0), "... by the last ones");
	closed(&g, 0);
	ok(arrives(&g), "one that is closed makes room");
	ok(!arrives(&g), "... for one");
	gateway_stop(&g);
}

static void test_slow(void)
{
	struct gateway g;

	gateway_start(&g, 1);
	ok(arrives(&g), "a client is served");
	mark(&g, 0, CONNECTION_ANSWER);
	ok(arrives(&g), "... and another");
	ok(ended(&g, 1), "the one that sends nothing loses its connection");
	ok(!readable(g.clients[0], 0), "... and not the one that is answered");
	gateway_stop(&g);
}

int main(void)
{
	test_places();
	test_spare();
	test_slow();
	return done();
}
