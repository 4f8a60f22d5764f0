/*
 * The output of connections (net.h): sealing, sending, and its limits. Input: messages to send, answers that
 * are being prepared, writable sockets. Output: bytes on the socket; connections that are blocked because
 * their peer does not read, and that end if it goes on not to. Messages of one iteration of the loop are sent
 * together at its end.
 */
#include "wire/conn_state.h"

#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
	LINGER_MS = 1000,
	SLICE = 64 << 10,      /* bytes of a connection that leave in one iteration of the loop */
	KEEP_OUTPUT = 1 << 14, /* a larger output buffer is given back when empty */
};

void output_dirty(struct conn *c)
{
	if (c->dirty || c->life == CONN_DIALLING || c->life == CONN_ENDED)
		return;
	c->dirty = true;
	c->next_dirty = c->net->dirty;
	c->net->dirty = c;
	event_active(c->net->flush, 0, 0);
}

size_t conn_pending(const struct conn *c)
{
	return session_out(c->session)->len - c->sent;
}

size_t conn_waiting(const struct conn *c)
{
	return conn_pending(c) + c->owed;
}

void output_count(struct conn *c)
{
	const struct net_limits *max = &c->net->limits.max;
	size_t now = conn_waiting(c);

	if (c->use && now != c->counted) {
		limits_output(&c->net->limits, c->use, c->counted, now);
		if (now < c->counted)
			shared_wake(c->net);
		c->counted = now;
	}
	if (c->is_agent && c->full != (now > max->output_soft)) {
		c->full = !c->full;
		c->net->full_agents += c->full ? 1 : -1U;
	}
	if (now > max->output_soft)
		conn_block(c, BLOCK_OUTPUT);
	else if (now <= max->output_soft / 2)
		conn_unblock(c, BLOCK_OUTPUT);
}

void conn_owe(struct conn *c, int64_t bytes)
{
	c->owed = (size_t)((int64_t)c->owed + bytes);
	output_count(c);
}

void conn_commit(struct conn *c, int64_t bytes)
{
	if (c->use) {
		c->committing += bytes;
		limits_commit(c->use, bytes);
	}
	conn_owe(c, bytes);
}

void output_watch(struct conn *c)
{
	uint32_t ms = c->net->limits.max.output_timeout_ms;

	if (!c->use || c->life != CONN_OPEN || event_pending(c->stall, EV_TIMEOUT, NULL))
		return;
	c->sent_goal = c->sent_total + conn_pending(c);
	event_add(c->stall, &(struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000});
}

/* The peer had a whole timeout for what waited at its beginning. */
void output_on_stall(evutil_socket_t fd, short what, void *conn)
{
	struct conn *c = conn;
	uint32_t ms = c->net->limits.max.output_timeout_ms;
	char why[160];

	(void)fd;
	(void)what;
	if (c->life != CONN_OPEN)
		return;
	if (conn_pending(c) && c->sent_total < c->sent_goal) {
		snprintf(why, sizeof(why),
			 "the peer does not read: %zu bytes of answers waited for %s",
			 conn_pending(c), duration_words(ms * INT64_C(1000)).text);
		conn_close(c, why);
	} else if (c->large &&
		   clock_us(CLOCK_MONOTONIC) - c->large_since_us >= (int64_t)ms * 1000) {
		snprintf(why, sizeof(why),
			 "the peer began a message of %zu bytes and did not send it in %s",
			 session_frame_size(c->session), duration_words(ms * INT64_C(1000)).text);
		conn_close(c, why);
	} else if (conn_pending(c) || c->large) {
		output_watch(c);
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
		conn_adjust(c);
	}
}

static void wait_writable(struct conn *c)
{
	struct buf *out = session_out(c->session);

	if (c->sent > out->len / 2) {
		buf_drop(out, c->sent);
		c->sent = 0;
	}
	event_add(c->write, NULL);
	output_watch(c);
}

void output_flush(struct conn *c)
{
	struct buf *out = session_out(c->session);
	size_t left = SLICE;
	ssize_t n = 0;

	while (c->sent < out->len && left) {
		size_t len = out->len - c->sent;

		n = send(c->fd, out->data + c->sent, len < left ? len : left, MSG_NOSIGNAL);
		if (n < 0)
			break;
		left -= (size_t)n;
		c->sent += (size_t)n;
		c->sent_total += (uint64_t)n;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		conn_close(c, errno == EPIPE || errno == ECONNRESET
				      ? "the peer closed the connection"
				      : strerror(errno));
		return;
	}
	if (c->sent == out->len)
		drained(c);
	else
		wait_writable(c);
	output_count(c);
}

/* Flush all connections with output once in each iteration of the loop. */
void output_flush_all(evutil_socket_t fd, short what, void *net)
{
	struct net *n = net;

	(void)fd;
	(void)what;
	while (n->dirty) {
		struct conn *c = n->dirty;

		n->dirty = c->next_dirty;
		c->dirty = false;
		if (c->life != CONN_ENDED)
			output_flush(c);
	}
}

static void sent_more(struct conn *c)
{
	output_dirty(c);
	if (session_state(c->session) == SESSION_FAILED)
		conn_close_after_send(c, session_error(c->session, NULL));
	else if (conn_pending(c) > c->net->limits.max.output_hard)
		conn_close(c, "the peer does not read its messages");
	else
		output_count(c);
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
