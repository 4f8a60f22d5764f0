/*
 * Applies the effects of the link: dials, sends, closes, and forwards messages to the launcher.
 * Input: n->effects. Output: messages of the connection and of the pipe; the timer is set to the
 * time when the link is due.
 */
#define LOG_AREA LOG_AREA_NET
#include "armd/network/effects.h"

#include "armd/pipe/body.h"
#include "armd/pipe/io.h"

#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "wire/net.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void to_launcher(struct network *n, enum pipe_type type)
{
	int rc;

	n->msg->type = type;
	rc = pipe_send(n->pipe, n->msg);
	/* the controller repeats what is not acknowledged */
	if (rc == -EMFILE)
		log_peer(LOG_NODES, "the controller", LOG_ERROR,
			 "an order was dropped: too many orders wait for the launcher");
	else if (rc < 0)
		event_base_loopbreak(n->base);
}

static void do_dial(struct network *n, const struct link_effect *x)
{
	struct conn *c = net_dial(n->net, n->config->controllers[x->address]);

	n->session = x->session;
	n->conn = conn_id(c);
}

static void do_send(struct network *n, const struct link_effect *x)
{
	struct conn *c = net_find(n->net, n->conn);

	if (c && x->session == n->session)
		conn_send(c, x->type, 0, x->message);
}

static void do_close(struct network *n, const struct link_effect *x)
{
	struct conn *c = net_find(n->net, n->conn);

	if (c && x->session == n->session)
		conn_close(c, x->text);
	n->conn = 0;
}

static void do_inventory(struct network *n, const struct link_effect *x)
{
	n->msg->number = x->number;
	to_launcher(n, PIPE_INVENTORY);
}

static void do_order(struct network *n, const struct link_effect *x)
{
	CLEANUP_CLOSE int fd = -1;
	struct err err;

	if (x->body_len) {
		fd = pipe_body_new(x->body, x->body_len, &err);
		if (fd < 0) {
			log_peer(LOG_NODES, "the controller", LOG_ERROR, "an order was dropped: %s",
				 err.text);
			return;
		}
	}
	memcpy(n->msg->order.bytes, x->order, ORDER_SIZE);
	n->msg->order.body_fd = fd;
	to_launcher(n, PIPE_ORDER);
}

static void do_acked(struct network *n, const struct link_effect *x)
{
	for (size_t at = 0; at < x->key_count; at += PIPE_KEYS) {
		size_t count = x->key_count - at < PIPE_KEYS ? x->key_count - at : PIPE_KEYS;

		memcpy(n->msg->acked.keys, x->keys + at, count * sizeof(*x->keys));
		n->msg->acked.count = (uint32_t)count;
		to_launcher(n, PIPE_ACKED);
	}
}

static void do_controller(struct network *n, const struct link_effect *x)
{
	struct pipe_controller *m = &n->msg->controller;

	memcpy(m->cluster_id, x->cluster_id, sizeof(m->cluster_id));
	snprintf(m->credential, sizeof(m->credential), "%s", x->credential);
	to_launcher(n, PIPE_CONTROLLER);
}

static void do_log(struct network *n, const struct link_effect *x)
{
	(void)n;
	log_peer(LOG_NODES, "the controller", (enum log_level)x->level, "%s", x->text);
}

static void (*const actions[])(struct network *n, const struct link_effect *x) = {
	[LINK_DIAL] = do_dial,
	[LINK_SEND] = do_send,
	[LINK_CLOSE] = do_close,
	[LINK_INVENTORY] = do_inventory,
	[LINK_ORDER] = do_order,
	[LINK_ACKED] = do_acked,
	[LINK_CONTROLLER] = do_controller,
	[LINK_LOG] = do_log,
};

static void set_timer(struct network *n, int64_t now_us)
{
	int64_t due_us = link_due(n->link), wait_us = due_us > now_us ? due_us - now_us : 0;
	/* Add a millisecond, because the loop rounds down. */
	struct timeval tv = {.tv_sec = wait_us / 1000000, .tv_usec = wait_us % 1000000 + 999};

	if (due_us == INT64_MAX) {
		evtimer_del(n->timer);
		return;
	}
	tv.tv_sec += tv.tv_usec / 1000000;
	tv.tv_usec %= 1000000;
	evtimer_add(n->timer, &tv);
}

void network_apply_effects(struct network *n)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	link_flush(n->link, now_us, &n->effects);
	for (size_t i = 0; i < n->effects.count; i++)
		actions[n->effects.list[i].kind](n, &n->effects.list[i]);
	arena_clear(n->effects.arena);
	n->effects.list = NULL;
	n->effects.count = n->effects.cap = 0;
	if (pipe_waiting(n->pipe))
		event_add(n->writable, NULL);
	set_timer(n, now_us);
}
