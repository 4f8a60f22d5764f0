/*
 * A connection on the loop: reading, writing, timers, and its end (net.h). Input: events of the
 * socket, messages to send. Output: calls of on_open, on_message and on_close. The steps of its
 * life are in enum conn_life (conn_state.h). A connection that must end with a message sends it,
 * shuts down its side, and reads for a second more, so that the message is not lost. Caveat: a
 * callback may end the connection, so its state is checked again after each one.
 */
#include "wire/net.h"

#include "util/clock.h"
#include "util/mem.h"
#include "wire/conn_state.h"
#include "wire/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	READS_PER_EVENT = 4, /* then other connections are served */
	FINISH_MS = 5000,
};

static void on_read(evutil_socket_t fd, short what, void *arg);
static void on_write(evutil_socket_t fd, short what, void *arg);

/* Messages may be taken from the socket. */
static bool is_reading(const struct conn *c)
{
	return (c->life == CONN_HANDSHAKE || c->life == CONN_OPEN) && !c->blocked && !c->task;
}

void conn_adjust(struct conn *c)
{
	if (!c->read)
		return;
	if (is_reading(c) || c->life == CONN_LINGERING)
		event_add(c->read, NULL);
	else
		event_del(c->read);
}

void conn_block(struct conn *c, enum conn_block why)
{
	if (!c->blocked && c->life == CONN_OPEN && c->read)
		event_del(c->read);
	c->blocked |= why;
}

void conn_unblock(struct conn *c, enum conn_block why)
{
	if (!(c->blocked & why))
		return;
	c->blocked &= ~(unsigned)why;
	if (!c->blocked)
		conn_progress(c);
}

void conn_hold(struct conn *c)
{
	conn_block(c, BLOCK_HELD);
}

void conn_resume(struct conn *c)
{
	conn_unblock(c, BLOCK_HELD);
}

void conn_set_timer(struct conn *c, uint32_t ms)
{
	event_add(c->timer, &(struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000});
}

void conn_close(struct conn *c, const char *why)
{
	if (c->life == CONN_ENDED)
		return;
	c->life = CONN_ENDED;
	if (!c->why)
		c->why = xstrdup(why);
	auth_forget(c);
	turn_remove(c);
	event_del(c->timer);
	event_del(c->stall);
	if (c->read)
		event_del(c->read);
	if (c->write)
		event_del(c->write);
	c->next_ended = c->net->ended;
	c->net->ended = c;
	event_active(c->net->reap, 0, 0);
}

/* Accept no more messages: send the rest of the output, then end with why. */
void conn_close_after_send(struct conn *c, const char *why)
{
	if (c->life == CONN_FINISHING || c->life == CONN_LINGERING || c->life == CONN_ENDED)
		return;
	if (c->life == CONN_DIALLING) {
		conn_close(c, why);
		return;
	}
	c->why = xstrdup(why);
	c->life = CONN_FINISHING;
	auth_forget(c);
	turn_remove(c);
	conn_adjust(c);
	conn_set_timer(c, FINISH_MS);
	output_dirty(c);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;

	(void)fd;
	(void)what;
	switch (c->life) {
	case CONN_DIALLING:
	case CONN_HANDSHAKE:
		session_refuse(c->session, EXIT_TRY_AGAIN,
			       "the authentication was not finished in time");
		conn_close_after_send(c, c->life == CONN_DIALLING
						 ? "no answer from this address in time"
						 : "the peer did not authenticate in time");
		break;
	case CONN_OPEN:
		conn_unblock(c, BLOCK_RATE);
		break;
	default:
		conn_close(c, NULL);
	}
}

struct conn *conn_new(struct net *n, int fd)
{
	struct conn *c = xcalloc(1, sizeof(*c));
	struct session_policy policy = n->policy;
	uint8_t seed[64];

	if (policy.trust_kernel && fd >= 0)
		policy.kernel = kernel_peer_of(fd, &n->unknown);
	c->id = ++n->last_id;
	c->net = n;
	c->fd = fd;
	randombytes_buf(seed, sizeof(seed));
	c->session = session_new(&policy, seed);
	sodium_memzero(seed, sizeof(seed));
	c->timer = evtimer_new(n->base, on_timer, c);
	c->stall = evtimer_new(n->base, output_on_stall, c);
	HASH_ADD(hh, n->conns, id, sizeof(c->id), c);
	return c;
}

/* Give back what the connection used. */
static void use_end(struct conn *c)
{
	struct limits *l = &c->net->limits;

	turn_remove(c);
	l->agents -= c->is_agent;
	c->net->full_agents -= c->full;
	c->full = false;
	c->is_agent = false;
	if (!c->use)
		return;
	shared_large_end(c);
	limits_output(l, c->use, c->counted, 0);
	limits_commit(c->use, -c->committing);
	shared_wake(c->net);
	limits_uid_close(l, c->use, clock_us(CLOCK_MONOTONIC));
	c->use = NULL;
}

void conn_free(struct conn *c)
{
	struct net *n = c->net;

	auth_forget(c);
	limits_handshake_end(&n->limits, &c->handshake);
	shared_release(c);
	use_end(c);
	if (c->dirty) {
		struct conn **at = &n->dirty;

		while (*at != c)
			at = &(*at)->next_dirty;
		*at = c->next_dirty;
	}
	HASH_DEL(n->conns, c);
	if (c->read)
		event_free(c->read);
	if (c->write)
		event_free(c->write);
	event_free(c->timer);
	event_free(c->stall);
	if (c->fd >= 0)
		close(c->fd);
	session_free(c->session);
	free(c->dial);
	free(c->why);
	free(c);
}

void conn_reap_all(evutil_socket_t fd, short what, void *net)
{
	struct net *n = net;

	(void)fd;
	(void)what;
	while (n->ended) {
		struct conn *c = n->ended;

		n->ended = c->next_ended;
		n->ops.on_close(n->arg, c, c->why);
		conn_free(c);
	}
}

void conn_start(struct conn *c, int fd)
{
	struct sockaddr_storage sa = {0};
	socklen_t len = sizeof(sa);

	if (c->write)
		event_free(c->write);
	c->fd = fd;
	if (!getpeername(fd, (struct sockaddr *)&sa, &len))
		address_format((struct sockaddr *)&sa, len, c->address);
	len = sizeof(sa);
	if (!getsockname(fd, (struct sockaddr *)&sa, &len))
		address_format((struct sockaddr *)&sa, len, c->local);
	c->read = event_new(c->net->base, fd, EV_READ | EV_PERSIST, on_read, c);
	c->write = event_new(c->net->base, fd, EV_WRITE, on_write, c);
	c->life = CONN_HANDSHAKE;
	if (!event_pending(c->timer, EV_TIMEOUT, NULL))
		conn_set_timer(c, c->net->limits.max.handshake_timeout_ms);
	conn_progress(c);
}

/* Root and the user of this process are always privileged. */
static bool is_privileged(uint32_t uid)
{
	return uid == 0 || uid == geteuid();
}

/* May the peer have one more connection? NULL, or the refusal. */
static const char *use_begin(struct conn *c, const struct session_peer *peer)
{
	struct limits *l = &c->net->limits;

	if (peer->role == ROLE_AGENT) {
		if (l->agents >= l->max.agents)
			return "too many nodes are connected: try again";
		l->agents++;
		c->is_agent = true;
		return NULL;
	}
	if (peer->role != ROLE_CLIENT)
		return NULL;
	c->use = limits_uid_open(l, peer->uid, is_privileged(peer->uid), clock_us(CLOCK_MONOTONIC));
	if (c->use)
		return NULL;
	if (l->conns >= l->max.conns)
		return "all users together have too many connections open: try again, or see "
		       "limits.conns in armada.conf";
	return "this user has too many connections open: close some, or see "
	       "limits.conns_per_uid in armada.conf";
}

static void opened(struct conn *c)
{
	const struct session_peer *peer = session_peer(c->session);
	const char *refusal;

	c->life = CONN_OPEN;
	event_del(c->timer);
	limits_handshake_end(&c->net->limits, &c->handshake);
	refusal = use_begin(c, peer);
	if (refusal)
		session_refuse(c->session, EXIT_TRY_AGAIN, refusal);
	else
		c->net->ops.on_open(c->net->arg, c, peer);
}

void conn_privilege(struct conn *c)
{
	struct uid_use *u = c->use;

	if (!u || u->privileged)
		return;
	/* its connections leave the one ring and join the other */
	turn_privilege(c->net, u);
	limits_privilege(&c->net->limits, u);
}

/* A client that sends requests too fast must wait; its requests remain in the buffer. */
static void throttle(struct conn *c)
{
	int64_t pause_us = 0;

	if (c->use)
		pause_us = limits_request(&c->net->limits, c->use, clock_us(CLOCK_MONOTONIC));
	if (pause_us) {
		conn_block(c, BLOCK_RATE);
		conn_set_timer(c, (uint32_t)(pause_us / 1000) + 1);
	}
}

bool conn_deliver(struct conn *c, int64_t until_us)
{
	struct session_frame f;
	bool all = false;

	do {
		if (c->use && limits_full(&c->net->limits, c->use))
			shared_wait(c, BLOCK_SHARED);
		all = c->life != CONN_OPEN || c->blocked || session_next(c->session, &f) <= 0;
		if (all)
			break;
		shared_large_end(c);
		throttle(c);
		c->net->ops.on_message(c->net->arg, c, f.info, f.request, f.body, f.len);
	} while (clock_us(CLOCK_MONOTONIC) < until_us);
	if (all && c->life == CONN_OPEN)
		conn_progress(c);
	return all;
}

/* The session is open: give complete messages to the turns, and ask for the place of a large one. */
static void take_input(struct conn *c)
{
	if (c->blocked)
		return;
	if (session_has_frame(c->session))
		turn_add(c);
	else if (c->use && !c->large && session_frame_size(c->session) > LARGE_MESSAGE)
		shared_large_begin(c);
}

/* The user whom the client acts for, if it has just named one. */
static void take_identity(struct conn *c)
{
	const struct net_ops *ops = &c->net->ops;
	struct session_identity id;

	if (!session_identity(c->session, &id))
		return;
	if (ops->on_identity)
		ops->on_identity(c->net->arg, c, session_peer(c->session), &id);
	else
		session_refuse(c->session, EXIT_NOT_PERMITTED, "nobody may act for others here");
}

void conn_identified(struct conn *c, uint32_t uid, uint32_t gid, uint64_t token)
{
	session_identified(c->session, uid, gid, token);
	conn_progress(c);
}

void conn_refuse(struct conn *c, int exit_code, const char *why)
{
	session_refuse(c->session, exit_code, why);
	conn_progress(c);
}

void conn_progress(struct conn *c)
{
	struct session_work w;

	if (c->life != CONN_HANDSHAKE && c->life != CONN_OPEN)
		return;
	c->said_hello = c->said_hello || session_peer(c->session)->role != ROLE_NONE;
	if (c->life == CONN_HANDSHAKE && !c->task && session_work(c->session, &w))
		auth_start(c, &w);
	if (c->life == CONN_HANDSHAKE)
		take_identity(c);
	if (c->life == CONN_HANDSHAKE && session_state(c->session) == SESSION_OPEN)
		opened(c);
	if (session_out(c->session)->len > c->sent)
		output_dirty(c);
	if (c->life != CONN_ENDED && session_state(c->session) == SESSION_FAILED)
		conn_close_after_send(c, session_error(c->session, NULL));
	if (c->life == CONN_OPEN)
		take_input(c);
	if (c->life == CONN_HANDSHAKE || c->life == CONN_OPEN)
		conn_adjust(c);
}

/* Bytes after our last message are read and dropped, so that the peer receives that message. */
static void linger_read(struct conn *c)
{
	ssize_t n = recv(c->fd, c->net->chunk, sizeof(c->net->chunk), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		conn_close(c, NULL);
}

/* One read. False when there is nothing more to read now. */
static bool read_once(struct conn *c)
{
	/* before the session is open, read only what one frame needs */
	size_t size = c->life == CONN_OPEN ? NET_CHUNK : FRAME_CLEAR_MAX;
	ssize_t n = recv(c->fd, c->net->chunk, size, 0);

	if (n > 0) {
		session_feed(c->session, c->net->chunk, (size_t)n);
		conn_progress(c);
		return (size_t)n == size;
	}
	if (n == 0)
		conn_close(c, c->life == CONN_OPEN ? NULL : "the peer closed the connection");
	else if (errno != EAGAIN && errno != EINTR)
		conn_close(c, strerror(errno));
	return false;
}

static void on_read(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;

	(void)fd;
	(void)what;
	if (c->life == CONN_LINGERING) {
		linger_read(c);
		return;
	}
	for (int i = 0; i < READS_PER_EVENT && is_reading(c) && !c->ready; i++) {
		if (!read_once(c))
			return;
	}
}

static void on_write(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	output_flush(arg);
}

uint64_t conn_id(const struct conn *c)
{
	return c->id;
}

const struct session_peer *conn_peer(const struct conn *c)
{
	return session_peer(c->session);
}

const char *conn_address(const struct conn *c)
{
	return c->address;
}

const char *conn_local_address(const struct conn *c)
{
	return c->local;
}
