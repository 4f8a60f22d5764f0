/*
 * The connections of clients (connections.h). Input: listeners, and the marks of requests. Output:
 * connections that the library serves, and those that are closed or refused.
 *
 * The table has a place for each descriptor. A connection is ended by shutdown(2), which its
 * thread sees as the end of the client; the library closes the descriptor after
 * connections_notify() has cleared its place, under the mutex. So a descriptor of the table is
 * never that of another connection.
 */
#include "armrestd/connections.h"

#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LISTENERS = 2, LOOK_MS = 1000, PAUSE_MS = 20, SPARE = 64, GROW = 256 };

struct place {
	enum connection_state state;
	int64_t since_us;
};

struct listener {
	int fd;
	struct MHD_Daemon *daemon;
	bool tls;
};

struct connections {
	unsigned most;
	int64_t timeout_us, looked_us;
	struct listener listeners[LISTENERS];
	size_t listener_count;
	pthread_t thread;
	bool started;
	int wake[2];
	atomic_bool stopping;
	pthread_mutex_t mutex;
	struct place *places; /* by descriptor */
	size_t size;
	unsigned open, closing; /* places in use; those of them that are ended */
};

struct connections *connections_new(unsigned most, int64_t timeout_us)
{
	struct connections *c = xcalloc(1, sizeof(*c));

	c->most = most;
	c->timeout_us = timeout_us;
	c->wake[0] = c->wake[1] = -1;
	pthread_mutex_init(&c->mutex, NULL);
	return c;
}

void connections_add_listener(struct connections *c, int fd, struct MHD_Daemon *daemon, bool tls)
{
	c->listeners[c->listener_count++] = (struct listener){fd, daemon, tls};
}

/* Called with the mutex. */
static void set(struct connections *c, int fd, enum connection_state state)
{
	struct place *p;

	if ((size_t)fd >= c->size) {
		size_t size = (size_t)fd + GROW;

		c->places = xreallocarray(c->places, size, sizeof(*c->places));
		memset(c->places + c->size, 0, (size - c->size) * sizeof(*c->places));
		c->size = size;
	}
	p = &c->places[fd];
	c->open += state != CONNECTION_NONE;
	c->open -= p->state != CONNECTION_NONE;
	c->closing += state == CONNECTION_CLOSING;
	c->closing -= p->state == CONNECTION_CLOSING;
	*p = (struct place){state, clock_us(CLOCK_MONOTONIC)};
}

static int fd_of(struct MHD_Connection *http)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(http, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

void connections_notify(void *arg, struct MHD_Connection *http, void **context,
			enum MHD_ConnectionNotificationCode what)
{
	struct connections *c = arg;
	int fd = fd_of(http);

	(void)context;
	if (what != MHD_CONNECTION_NOTIFY_CLOSED || fd < 0)
		return;
	pthread_mutex_lock(&c->mutex);
	set(c, fd, CONNECTION_NONE);
	pthread_mutex_unlock(&c->mutex);
}

void connections_mark(struct connections *c, struct MHD_Connection *http,
		      enum connection_state state)
{
	int fd = fd_of(http);

	pthread_mutex_lock(&c->mutex);
	if (fd >= 0 && (size_t)fd < c->size && c->places[fd].state != CONNECTION_CLOSING)
		set(c, fd, state);
	pthread_mutex_unlock(&c->mutex);
}

/* Called with the mutex. */
static void end(struct connections *c, int fd)
{
	set(c, fd, CONNECTION_CLOSING);
	shutdown(fd, SHUT_RDWR);
}

/*
 * Ends the connections whose clients have not sent a whole request in time. O(descriptors), once a
 * second.
 */
static void end_slow(struct connections *c)
{
	int64_t now_us = clock_us(CLOCK_MONOTONIC);

	if (now_us - c->looked_us < LOOK_MS * INT64_C(1000))
		return;
	c->looked_us = now_us;
	pthread_mutex_lock(&c->mutex);
	for (size_t i = 0; i < c->size; i++) {
		const struct place *p = &c->places[i];

		if ((p->state == CONNECTION_WAITS || p->state == CONNECTION_BODY) &&
		    now_us - p->since_us > 2 * c->timeout_us)
			end(c, (int)i);
	}
	pthread_mutex_unlock(&c->mutex);
}

/*
 * The connection that a new one may replace; -1: none. It waits for the rest of a request, or its
 * client has read an answer for longer than the timeout. O(descriptors), only while all places are
 * taken.
 */
static int find_idle(const struct connections *c)
{
	int64_t slow_us = clock_us(CLOCK_MONOTONIC) - c->timeout_us;
	int found = -1;

	for (size_t i = 0; i < c->size; i++) {
		const struct place *p = &c->places[i];
		bool idle = p->state == CONNECTION_WAITS || p->state == CONNECTION_BODY ||
			    (p->state == CONNECTION_ANSWER && p->since_us < slow_us);

		if (idle && (found < 0 || p->since_us < c->places[found].since_us))
			found = (int)i;
	}
	return found;
}

/*
 * A place for a new connection, or false. Those that are ended take a moment to go: SPARE more may
 * be there.
 */
static bool take_place(struct connections *c, int fd)
{
	bool room;
	int idle;

	pthread_mutex_lock(&c->mutex);
	if (c->open - c->closing >= c->most && (idle = find_idle(c)) >= 0)
		end(c, idle);
	room = c->open - c->closing < c->most && c->open < c->most + SPARE;
	if (room)
		set(c, fd, CONNECTION_WAITS);
	pthread_mutex_unlock(&c->mutex);
	return room;
}

/* Without TLS a client can read why. It may send a request meanwhile, which is not read. */
static void refuse(int fd, bool tls)
{
	static const char body[] =
		"{\"type\":\"about:blank\",\"title\":\"Try again\",\"status\":503,\"detail\":"
		"\"the gateway has as many connections as it may (rest.connections): "
		"try again\"}";
	char text[sizeof(body) + 256];
	int n = snprintf(
		text, sizeof(text),
		"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
		"Content-Length: %zu\r\nRetry-After: 1\r\nConnection: close\r\n\r\n%s",
		sizeof(body) - 1, body);

	if (!tls && send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) == n)
		shutdown(fd, SHUT_WR);
	close(fd);
}

static void forget(struct connections *c, int fd)
{
	pthread_mutex_lock(&c->mutex);
	set(c, fd, CONNECTION_NONE);
	pthread_mutex_unlock(&c->mutex);
}

/* False: no connection could be accepted now. */
static bool accept_one(struct connections *c, const struct listener *l)
{
	struct sockaddr_storage from = {0};
	socklen_t len = sizeof(from);
	int fd = accept4(l->fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return false;
	if (!take_place(c, fd)) {
		refuse(fd, l->tls);
		return true;
	}
	if (MHD_add_connection(l->daemon, fd, (struct sockaddr *)&from, len) != MHD_YES)
		forget(c, fd); /* the library has closed it */
	return true;
}

/*
 * Out of descriptors, for example: the connection stays in the queue of the kernel until some are
 * free.
 */
static void pause_after(int error)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};

	if (error != EAGAIN && error != ECONNABORTED && error != EINTR)
		nanosleep(&pause, NULL);
}

static void *run(void *arg)
{
	struct connections *c = arg;
	struct pollfd fds[LISTENERS + 1];

	fds[0] = (struct pollfd){c->wake[0], POLLIN, 0};
	for (size_t i = 0; i < c->listener_count; i++)
		fds[i + 1] = (struct pollfd){c->listeners[i].fd, POLLIN, 0};
	while (!c->stopping) {
		poll(fds, c->listener_count + 1, LOOK_MS);
		for (size_t i = 0; i < c->listener_count && !c->stopping; i++)
			if ((fds[i + 1].revents & POLLIN) && !accept_one(c, &c->listeners[i]))
				pause_after(errno);
		end_slow(c);
	}
	return NULL;
}

int connections_start(struct connections *c, struct err *err)
{
	int rc = pipe2(c->wake, O_CLOEXEC) < 0 ? errno : pthread_create(&c->thread, NULL, run, c);

	c->started = rc == 0;
	return rc ? err_sys(err, -rc, "cannot start the thread that accepts connections") : 0;
}

void connections_stop(struct connections *c)
{
	if (!c || !c->started)
		return;
	c->stopping = true;
	if (write(c->wake[1], "", 1) < 0)
		log_error("cannot wake the thread that accepts connections: %m");
	pthread_join(c->thread, NULL);
	c->started = false;
}

void connections_free(struct connections *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->listener_count; i++)
		close(c->listeners[i].fd);
	for (int i = 0; i < 2; i++)
		if (c->wake[i] >= 0)
			close(c->wake[i]);
	pthread_mutex_destroy(&c->mutex);
	free(c->places);
	free(c);
}
