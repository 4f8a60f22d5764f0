/*
 * Room for output and records, and places for large messages, that connections of all users share (limits.h).
 * Input: a connection that finds no room or no place. Output: it waits in net.waiting, with its messages, and
 * goes on when there is some again. All that wait are asked in the order of their arrival, once in an
 * iteration of the loop in which something was given back: O(connections that wait).
 */
#include "wire/conn_state.h"

#include "util/clock.h"

#include <time.h>

void shared_wait(struct conn *c, enum conn_block why)
{
	conn_block(c, why);
	if (c->waiting)
		return;
	c->waiting = true;
	TAILQ_INSERT_TAIL(&c->net->waiting, c, waiting_entry);
}

void shared_release(struct conn *c)
{
	if (!c->waiting)
		return;
	c->waiting = false;
	TAILQ_REMOVE(&c->net->waiting, c, waiting_entry);
}

void shared_wake(struct net *n)
{
	if (!TAILQ_EMPTY(&n->waiting))
		event_active(n->resume, EV_TIMEOUT, 0);
}

static void go_on(struct conn *c)
{
	const struct limits *l = &c->net->limits;

	if (c->blocked & BLOCK_SHARED && limits_room(l, c->use))
		conn_unblock(c, BLOCK_SHARED);
	if (c->blocked & BLOCK_LARGE)
		shared_large_begin(c);
	if (!(c->blocked & (BLOCK_SHARED | BLOCK_LARGE)))
		shared_release(c);
}

void shared_on_event(evutil_socket_t fd, short what, void *net)
{
	struct conn *c, *next;
	struct net *n = net;

	(void)fd;
	(void)what;
	for (c = TAILQ_FIRST(&n->waiting); c; c = next) {
		next = TAILQ_NEXT(c, waiting_entry);
		go_on(c);
	}
}

void shared_large_begin(struct conn *c)
{
	if (!limits_large_begin(&c->net->limits, c->use)) {
		shared_wait(c, BLOCK_LARGE);
		return;
	}
	c->large = true;
	c->large_since_us = clock_us(CLOCK_MONOTONIC);
	output_watch(c);
	conn_unblock(c, BLOCK_LARGE);
}

void shared_large_end(struct conn *c)
{
	if (!c->large)
		return;
	c->large = false;
	limits_large_end(&c->net->limits, c->use);
	shared_wake(c->net);
}
