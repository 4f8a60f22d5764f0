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
	MESSAGES_PER_TURN = 1024,
	LINGER_MS = 1000,
	FINISH_MS = 5000,
	KEEP_OUTPUT = 1 << 18, /* a larger output buffer is given back when empty */
};

static void on_read(evutil_socket_t fd, short what, void *arg);
static void on_write(evutil_socket_t fd, short what, void *arg);

/* Read unless the connection is paused or throttled. */
static bool is_reading(const struct conn *c)
{
	return (c->life == CONN_HANDSHAKE || c->life == CONN_OPEN) && !c->paused && !c->throttled &&
	       !c->task;
}

static void read_adjust(struct conn *c)
{
	if (!c->read)
		return;
	if (is_reading(c) || c->life == CONN_LINGERING)
		event_add(c->read, NULL);
	else
		event_del(c->read);
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
	event_del(c->timer);
	if (c->read)
		event_del(c->read);
	if (c->write)
		event_del(c->write);
	c->next_ended = c->net->ended;
	c->net->ended = c;
	event_active(c->net->reap, 0, 0);
}

/* Send the output at the end of this iteration of the loop. */
static void dirty(struct conn *c)
{
	if (c->dirty || c->life == CONN_DIALLING || c->life == CONN_ENDED)
		return;
	c->dirty = true;
	c->next_dirty = c->net->dirty;
	c->net->dirty = c;
	event_active(c->net->flush, 0, 0);
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
	read_adjust(c);
	conn_set_timer(c, FINISH_MS);
	dirty(c);
}

static void handshake_end(struct conn *c)
{
	if (c->key[0])
		limits_handshake_end(&c->net->limits, c->key);
	c->key[0] = '\0';
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
		c->throttled = false;
		conn_progress(c);
		break;
	default:
		conn_close(c, NULL);
	}
}

struct conn *conn_new(struct net *n, int fd)
{
	struct conn *c = xcalloc(1, sizeof(*c));
	uint8_t seed[64];

	c->id = ++n->last_id;
	c->net = n;
	c->fd = fd;
	randombytes_buf(seed, sizeof(seed));
	c->session = session_new(&n->policy, seed);
	sodium_memzero(seed, sizeof(seed));
	c->timer = evtimer_new(n->base, on_timer, c);
	HASH_ADD(hh, n->conns, id, sizeof(c->id), c);
	return c;
}

void conn_free(struct conn *c)
{
	struct net *n = c->net;

	auth_forget(c);
	handshake_end(c);
	if (c->counted_uid)
		limits_uid_close(&n->limits, session_peer(c->session)->uid,
				 clock_us(CLOCK_MONOTONIC));
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

/* The session is open: may its uid have one more connection? */
static bool opened(struct conn *c)
{
	const struct session_peer *peer = session_peer(c->session);

	c->life = CONN_OPEN;
	event_del(c->timer);
	handshake_end(c);
	if (peer->role == ROLE_CLIENT) {
		if (!limits_uid_open(&c->net->limits, peer->uid, clock_us(CLOCK_MONOTONIC))) {
			session_refuse(
				c->session, EXIT_TRY_AGAIN,
				"this user has too many connections open: close some, or see "
				"limits.conns_per_uid in armada.conf");
			return false;
		}
		c->counted_uid = true;
	}
	c->net->ops.on_open(c->net->arg, c, peer);
	return c->life == CONN_OPEN;
}

/* A client that sends requests too fast must wait; its requests remain in the buffer. */
static void throttle(struct conn *c)
{
	int64_t pause_us = 0;

	if (c->counted_uid && c->net->limits.max.requests_per_second)
		pause_us = limits_request(&c->net->limits, session_peer(c->session)->uid,
					  clock_us(CLOCK_MONOTONIC));
	if (pause_us) {
		c->throttled = true;
		conn_set_timer(c, (uint32_t)(pause_us / 1000) + 1);
	}
}

/* Pass complete messages to on_message. Returns false if there may be more. */
static bool deliver(struct conn *c)
{
	struct session_frame f;

	for (int i = 0; i < MESSAGES_PER_TURN; i++) {
		if (c->life != CONN_OPEN || c->paused || c->throttled ||
		    session_next(c->session, &f) <= 0)
			return true;
		throttle(c);
		c->net->ops.on_message(c->net->arg, c, f.info, f.request, f.body, f.len);
	}
	return false;
}

void conn_progress(struct conn *c)
{
	struct session_work w;

	if (c->life != CONN_HANDSHAKE && c->life != CONN_OPEN)
		return;
	if (c->life == CONN_HANDSHAKE && !c->task && session_work(c->session, &w))
		auth_start(c, &w);
	if (c->life == CONN_HANDSHAKE && session_state(c->session) == SESSION_OPEN)
		opened(c);
	c->more = c->life == CONN_OPEN && !deliver(c);
	if (c->more)
		event_active(c->read, EV_READ, 0); /* the rest in the next iteration */
	if (session_out(c->session)->len > c->sent)
		dirty(c);
	if (c->life != CONN_ENDED && session_state(c->session) == SESSION_FAILED)
		conn_close_after_send(c, session_error(c->session, NULL));
	if (c->life == CONN_HANDSHAKE || c->life == CONN_OPEN)
		read_adjust(c);
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
	if (c->more)
		conn_progress(c);
	for (int i = 0; i < READS_PER_EVENT && is_reading(c) && !c->more; i++) {
		if (!read_once(c))
			return;
	}
}

/* All output is sent: continue what waited for it. */
static void drained(struct conn *c)
{
	struct buf *out = session_out(c->session);

	c->sent = 0;
	if (out->cap > KEEP_OUTPUT)
		buf_done(out);
	buf_clear(out);
	if (c->life == CONN_FINISHING) {
		shutdown(c->fd, SHUT_WR);
		c->life = CONN_LINGERING;
		conn_set_timer(c, LINGER_MS);
		read_adjust(c);
	}
}

static void flush(struct conn *c)
{
	struct buf *out = session_out(c->session);
	ssize_t n = 0;

	while (c->sent < out->len) {
		n = send(c->fd, out->data + c->sent, out->len - c->sent, MSG_NOSIGNAL);
		if (n < 0)
			break;
		c->sent += (size_t)n;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		conn_close(c, errno == EPIPE || errno == ECONNRESET
				      ? "the peer closed the connection"
				      : strerror(errno));
		return;
	}
	if (c->sent == out->len) {
		drained(c);
	} else {
		if (c->sent > out->len / 2) {
			buf_drop(out, c->sent);
			c->sent = 0;
		}
		event_add(c->write, NULL);
	}
	if (c->paused && conn_pending(c) <= c->net->limits.max.output_soft / 2) {
		c->paused = false;
		conn_progress(c);
	}
}

static void on_write(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	flush(arg);
}

/* Flush all connections with output once in each iteration of the loop. */
void conn_flush_all(evutil_socket_t fd, short what, void *net)
{
	struct net *n = net;

	(void)fd;
	(void)what;
	while (n->dirty) {
		struct conn *c = n->dirty;

		n->dirty = c->next_dirty;
		c->dirty = false;
		if (c->life != CONN_ENDED)
			flush(c);
	}
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

size_t conn_pending(const struct conn *c)
{
	return session_out(c->session)->len - c->sent;
}

/* Limited output: stop reading above the soft limit, close above the hard one. */
static void sent_more(struct conn *c)
{
	const struct net_limits *max = &c->net->limits.max;

	dirty(c);
	if (session_state(c->session) == SESSION_FAILED) {
		conn_close_after_send(c, session_error(c->session, NULL));
	} else if (conn_pending(c) > max->output_hard) {
		conn_close(c, "the peer does not read its messages");
	} else if (conn_pending(c) > max->output_soft && !c->paused) {
		c->paused = true;
		read_adjust(c);
	}
}

void conn_send(struct conn *c, enum msg_type type, uint32_t request, const void *message)
{
	if (c->life != CONN_OPEN || session_state(c->session) != SESSION_OPEN)
		return;
	session_send(c->session, type, request, message);
	sent_more(c);
}

void conn_send_packed(struct conn *c, enum msg_type type, uint32_t request, const uint8_t *body,
		      size_t len)
{
	if (c->life != CONN_OPEN || session_state(c->session) != SESSION_OPEN)
		return;
	session_send_packed(c->session, type, request, body, len);
	sent_more(c);
}
