/*
 * Connects to an address (net_dial). Input: an address as text. Output: a connected socket for
 * conn.c; or on_close with the last error. A worker's thread resolves the address, because that may
 * block; then the loop tries its results one after the other, under one time limit.
 */
#include "wire/conn_state.h"

#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct dial_task {
	struct worker_task task;
	struct net *net;
	uint64_t conn;
	char *text;
	struct address list[ADDRESSES];
	int count;
	struct err err;
};

static void task_free(struct worker_task *t)
{
	struct dial_task *d = (struct dial_task *)t;

	free(d->text);
	free(d);
}

static void task_run(struct worker_task *t)
{
	struct dial_task *d = (struct dial_task *)t;

	d->count = address_resolve(d->text, false, d->list, &d->err);
}

/* Close the socket of the last attempt. */
static void dial_drop(struct conn *c)
{
	if (c->write)
		event_free(c->write);
	c->write = NULL;
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static void dial_next(struct conn *c, int last_error);

static void on_connected(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;
	int status = 0;
	socklen_t len = sizeof(status);

	(void)what;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &status, &len))
		status = errno;
	if (status)
		dial_next(c, -status);
	else
		conn_start(c, fd);
}

/* The next address of a connection that is being dialled. */
static void dial_next(struct conn *c, int last_error)
{
	char why[ADDRESS_TEXT + 128];

	for (dial_drop(c); c->dial_next < c->dial_count; dial_drop(c)) {
		const struct address *a = &c->dial[c->dial_next++];

		c->fd = address_socket(a);
		last_error = c->fd < 0 ? c->fd : 0;
		if (!last_error && connect(c->fd, (const struct sockaddr *)&a->sa, a->len))
			last_error = -errno;
		if (last_error && last_error != -EINPROGRESS)
			continue;
		c->write = event_new(c->net->base, c->fd, EV_WRITE, on_connected, c);
		event_add(c->write, NULL);
		return;
	}
	snprintf(why, sizeof(why), "%s: %s", c->address, strerror(-last_error));
	conn_close(c, why);
}

static void task_done(struct worker_task *t)
{
	struct dial_task *d = (struct dial_task *)t;
	struct conn *c = net_find(d->net, d->conn);

	if (c && c->life == CONN_DIALLING) {
		if (d->count < 0) {
			conn_close(c, d->err.text);
		} else {
			c->dial = xmemdup(d->list, (size_t)d->count * sizeof(d->list[0]));
			c->dial_count = d->count;
			dial_next(c, 0);
		}
	}
	task_free(t);
}

struct conn *net_dial(struct net *n, const char *address)
{
	struct dial_task *d = xcalloc(1, sizeof(*d));
	struct conn *c = conn_new(n, -1);

	snprintf(c->address, sizeof(c->address), "%s", address);
	/* for connecting and the handshake, with the calls of the auth plugin at both ends */
	conn_set_timer(c, 2 * n->limits.max.handshake_timeout_ms);
	d->task = (struct worker_task){.run = task_run, .done = task_done, .drop = task_free};
	d->net = n;
	d->conn = c->id;
	d->text = xstrdup(address);
	workers_give(n->workers, &d->task);
	return c;
}
