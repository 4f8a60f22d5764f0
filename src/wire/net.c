/*
 * The net: listeners, accepting connections, and the end of the net.
 *
 * In: addresses to listen on. Out: connections for conn.c. Unauthenticated connections are counted by
 * address, or on a Unix socket by uid; above the limit a connection gets a prepared refusal and is closed.
 */
#define LOG_AREA LOG_AREA_NET
#include "wire/conn_state.h"

#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "wire/state.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	BACKLOG = 4096,
	ACCEPTS_PER_EVENT = 64, /* then other events are handled */
	ACCEPT_AGAIN_MS = 100,
	SILENT_US = 20000, /* then a connection without a hello may be closed for a new one */
	SILENT_TRIES = 64,
};

/* The refusal above the limit of unauthenticated connections: one frame, made once to be cheap. */
static void make_refusal(struct net *n)
{
	Armada__Refusal refusal = ARMADA__REFUSAL__INIT;
	struct buf body CLEANUP_BUF = {0};
	struct frame_header h = {.type = MSG_REFUSAL};

	refusal.code = EXIT_TRY_AGAIN;
	refusal.text = (char *)"too many connections from this address are authenticating: "
			       "try again";
	msg_pack(&refusal, &body);
	h.len = (uint32_t)body.len;
	memcpy(frame_begin(&n->refusal, &h, NULL), body.data, body.len);
	frame_end(&n->refusal, &h, NULL);
}

struct net *net_new(struct event_base *base, const struct session_policy *policy,
		    const struct armada_auth_ops *auth, void *auth_handle,
		    const struct net_limits *limits, const struct net_ops *ops, void *arg)
{
	struct net *n = xcalloc(1, sizeof(*n));

	n->base = base;
	n->policy = *policy;
	n->policy.cluster = xstrdup(policy->cluster);
	n->policy.host = xstrdup(policy->host);
	n->policy.auth = xstrdup(policy->auth);
	n->auth = auth;
	n->auth_handle = auth_handle;
	n->ops = *ops;
	n->arg = arg;
	limits_init(&n->limits, limits);
	if (policy->trust_kernel)
		kernel_unknown_read(&n->unknown);
	make_refusal(n);
	n->workers = workers_new(base, NET_WORKERS);
	n->flush = event_new(base, -1, 0, output_flush_all, n);
	n->reap = event_new(base, -1, 0, conn_reap_all, n);
	n->turn = evtimer_new(base, turn_on_event, n);
	n->resume = evtimer_new(base, shared_on_event, n);
	n->agents.privileged = true;
	TAILQ_INIT(&n->agents.ready);
	TAILQ_INIT(&n->ring);
	TAILQ_INIT(&n->privileged_ring);
	TAILQ_INIT(&n->waiting);
	return n;
}

void net_stop_listening(struct net *n)
{
	struct listener *l, *next;

	for (l = n->listeners; l; l = next) {
		next = l->next;
		event_free(l->event);
		event_free(l->again);
		close(l->fd);
		if (l->path)
			unlink(l->path);
		free(l->path);
		free(l);
	}
	n->listeners = NULL;
}

void net_free(struct net *n)
{
	struct conn *c, *next;

	if (!n)
		return;
	net_stop_listening(n);
	HASH_ITER (hh, n->conns, c, next)
		conn_free(c);
	workers_free(n->workers);
	event_free(n->flush);
	event_free(n->reap);
	event_free(n->turn);
	event_free(n->resume);
	limits_done(&n->limits);
	buf_done(&n->refusal);
	free((char *)n->policy.cluster);
	free((char *)n->policy.host);
	free((char *)n->policy.auth);
	free(n);
}

void net_use(const struct net *n, struct net_use *ret_use)
{
	const struct limits *l = &n->limits;

	*ret_use = (struct net_use){l->handshakes, l->conns, l->agents, l->large, l->output};
}

void net_each_user(const struct net *n, void (*on_user)(void *arg, const struct net_user *u),
		   void *arg)
{
	for (const struct uid_use *u = n->limits.uids; u; u = u->hh.next)
		if (u->conns)
			on_user(arg, &(struct net_user){u->uid, u->conns, u->output, u->commit});
}

size_t net_busy_agents(const struct net *n, size_t bytes, uint64_t *ret_ids, size_t size)
{
	size_t count = 0;

	if (!n->full_agents)
		return 0;
	for (const struct conn *c = n->conns; c && count < size; c = c->hh.next)
		if (c->is_agent && conn_waiting(c) > bytes)
			ret_ids[count++] = c->id;
	return count;
}

const struct net_limits *net_limits(const struct net *n)
{
	return &n->limits.max;
}

struct conn *net_find(struct net *n, uint64_t id)
{
	struct conn *c;

	HASH_FIND(hh, n->conns, &id, sizeof(id), c);
	return c;
}

/* Unauthenticated connections are counted by address; on a Unix socket by the uid of the peer. */
static void key_of(int fd, const struct sockaddr_storage *sa, socklen_t len,
		   char ret_key[ADDRESS_TEXT])
{
	struct ucred cred = {.uid = (uid_t)-1};
	socklen_t cred_len = sizeof(cred);

	if (sa->ss_family != AF_UNIX) {
		address_format((const struct sockaddr *)sa, len, ret_key);
		return;
	}
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &cred_len);
	snprintf(ret_key, ADDRESS_TEXT, "uid %u", (unsigned)cred.uid);
}

/* A new socket accepts the whole frame; if not, the peer sees a closed connection. */
static void turn_away(struct net *n, int fd)
{
	if (send(fd, n->refusal.data, n->refusal.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_debug("refusal not sent: %s", strerror(errno));
	close(fd);
}

/*
 * Closes the oldest connection that has said nothing for a while, so that a peer that opens connections and
 * leaves them silent cannot lock out others of its address. False: there is none.
 */
static bool close_silent(struct net *n, const char *key, int64_t now_us)
{
	const struct limits *l = &n->limits;
	struct handshake_use *h = limits_handshake_next(l, key, NULL);

	for (int i = 0; h && i < SILENT_TRIES; i++, h = limits_handshake_next(l, key, h)) {
		struct conn *c = (struct conn *)((char *)h - offsetof(struct conn, handshake));

		if (h->since_us > now_us - SILENT_US)
			return false;
		if (c->said_hello)
			continue;
		limits_handshake_end(&n->limits, h);
		conn_close(c, "the peer sent nothing, and another connection needed its place");
		return true;
	}
	return false;
}

static void accepted(struct net *n, int fd, const struct sockaddr_storage *sa, socklen_t len)
{
	int64_t now_us = clock_us(CLOCK_MONOTONIC);
	char key[ADDRESS_TEXT];
	struct conn *c;

	key_of(fd, sa, len, key);
	if (!limits_handshake_room(&n->limits, key) && !close_silent(n, key, now_us)) {
		turn_away(n, fd);
		return;
	}
	address_tune(fd, sa->ss_family);
	c = conn_new(n, fd);
	limits_handshake_begin(&n->limits, key, &c->handshake, now_us);
	conn_start(c, fd);
}

static void on_accept(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;

	(void)what;
	for (int i = 0; i < ACCEPTS_PER_EVENT; i++) {
		struct sockaddr_storage sa = {0};
		socklen_t len = sizeof(sa);
		int conn = accept4(fd, (struct sockaddr *)&sa, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (conn >= 0) {
			accepted(l->net, conn, &sa, len);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
			   errno == ENOBUFS) {
			log_peer(LOG_STRANGERS, "new connections", LOG_WARN,
				 "cannot accept connections now: %s", strerror(errno));
			event_del(l->event);
			event_add(l->again, &(struct timeval){.tv_usec = ACCEPT_AGAIN_MS * 1000});
			return;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;

	(void)fd;
	(void)what;
	event_add(l->event, NULL);
}

/* Remove a socket that was left over; a socket that another process listens on is an error. */
static int path_clear(const struct address *a, const char *path, struct err *err)
{
	struct stat st;
	int fd, rc;

	if (lstat(path, &st))
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, -EEXIST, "%s exists and is not a socket", path);
	fd = address_socket(a);
	if (fd < 0)
		return err_sys(err, fd, "%s", path);
	rc = connect(fd, (const struct sockaddr *)&a->sa, a->len) ? -errno : 0;
	close(fd);
	if (rc != -ECONNREFUSED)
		return err_set(err, -EADDRINUSE, "%s: another process listens there already", path);
	return unlink(path) ? err_sys(err, -errno, "%s", path) : 0;
}

static int bind_and_listen(int fd, const struct address *a, const char *text)
{
	int one = 1;

	if (a->sa.ss_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->sa.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&a->sa, a->len))
		return -errno;
	/* accessible to all: credentials or the kernel authenticate the peers */
	if (a->sa.ss_family == AF_UNIX && chmod(text, 0666))
		return -errno;
	return listen(fd, BACKLOG) ? -errno : 0;
}

static int listen_one(struct net *n, const struct address *a, const char *text, uint16_t *ret_port)
{
	struct sockaddr_storage sa = {0};
	socklen_t len = sizeof(sa);
	int fd = address_socket(a), rc;
	struct listener *l;

	if (fd < 0)
		return fd;
	rc = bind_and_listen(fd, a, text);
	if (rc || getsockname(fd, (struct sockaddr *)&sa, &len)) {
		rc = rc ? rc : -errno;
		close(fd);
		return rc;
	}
	l = xcalloc(1, sizeof(*l));
	l->net = n;
	l->fd = fd;
	l->path = a->sa.ss_family == AF_UNIX ? xstrdup(text) : NULL;
	l->event = event_new(n->base, fd, EV_READ | EV_PERSIST, on_accept, l);
	l->again = evtimer_new(n->base, on_again, l);
	event_add(l->event, NULL);
	l->next = n->listeners;
	n->listeners = l;
	*ret_port = address_port((struct sockaddr *)&sa);
	return 0;
}

static void port_set(struct address *a, uint16_t port)
{
	if (a->sa.ss_family == AF_INET)
		((struct sockaddr_in *)&a->sa)->sin_port = htons(port);
	else if (a->sa.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&a->sa)->sin6_port = htons(port);
}

int net_listen(struct net *n, const char *address, uint16_t *ret_port, struct err *err)
{
	struct address list[ADDRESSES];
	int count = address_resolve(address, true, list, err), good = 0, rc = 0;
	uint16_t port = 0;

	if (count < 0)
		return count;
	if (list[0].sa.ss_family == AF_UNIX)
		rc = path_clear(&list[0], address, err);
	if (rc)
		return rc;
	for (int i = 0; i < count; i++) {
		int one;

		if (port)
			port_set(&list[i], port); /* the same free port for each family */
		one = listen_one(n, &list[i], address, &port);
		/* a host without IPv6 listens without it */
		good += one == 0;
		rc = one && one != -EAFNOSUPPORT && one != -EADDRNOTAVAIL ? one : rc;
	}
	if (rc || !good)
		return err_sys(err, rc ? rc : -EADDRNOTAVAIL, "cannot listen on %s", address);
	if (ret_port)
		*ret_port = port;
	return 0;
}
