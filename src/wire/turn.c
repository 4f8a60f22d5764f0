/*
 * The order in which messages of connections are delivered (net.h). Input: connections that have messages.
 * Output: calls of conn_deliver, in turns. Each user with such connections is in a ring, each of its
 * connections in a list of the user, and both rotate. A turn ends after TURN_US, whatever is left; the next
 * one begins after the loop has looked at sockets and timers. Caveat: a delivered message may end its
 * connection, or any other.
 */
#include "wire/conn_state.h"

#include "util/clock.h"

#include <time.h>

enum { TURN_US = 10000, SLICE_US = 1000 };

static struct uid_use *user_of(struct conn *c)
{
	return c->use ? c->use : &c->net->agents;
}

void turn_add(struct conn *c)
{
	struct uid_use *u = user_of(c);
	struct net *n = c->net;

	if (c->ready)
		return;
	c->ready = true;
	if (TAILQ_EMPTY(&u->ready)) {
		if (u->privileged)
			TAILQ_INSERT_TAIL(&n->privileged_ring, u, ring);
		else
			TAILQ_INSERT_TAIL(&n->ring, u, ring);
	}
	TAILQ_INSERT_TAIL(&u->ready, c, ready_entry);
	if (!n->in_turn && !event_pending(n->turn, EV_TIMEOUT, NULL))
		event_active(n->turn, EV_TIMEOUT, 0);
}

void turn_remove(struct conn *c)
{
	struct uid_use *u = user_of(c);
	struct net *n = c->net;

	if (!c->ready)
		return;
	c->ready = false;
	TAILQ_REMOVE(&u->ready, c, ready_entry);
	if (u->privileged)
		TAILQ_REMOVE(&n->privileged_ring, u, ring);
	else
		TAILQ_REMOVE(&n->ring, u, ring);
	if (TAILQ_EMPTY(&u->ready))
		return;
	if (u->privileged)
		TAILQ_INSERT_TAIL(&n->privileged_ring, u, ring);
	else
		TAILQ_INSERT_TAIL(&n->ring, u, ring);
}

void turn_privilege(struct net *n, struct uid_use *u)
{
	if (TAILQ_EMPTY(&u->ready))
		return;
	TAILQ_REMOVE(&n->ring, u, ring);
	TAILQ_INSERT_TAIL(&n->privileged_ring, u, ring);
}

static struct conn *next_conn(const struct net *n)
{
	struct uid_use *u = TAILQ_FIRST(&n->privileged_ring);

	if (!u)
		u = TAILQ_FIRST(&n->ring);
	return u ? TAILQ_FIRST(&u->ready) : NULL;
}

void turn_on_event(evutil_socket_t fd, short what, void *net)
{
	int64_t now = clock_us(CLOCK_MONOTONIC), end = now + TURN_US;
	struct net *n = net;
	struct conn *c;

	(void)fd;
	(void)what;
	n->in_turn = true;
	while ((c = next_conn(n))) {
		turn_remove(c);
		if (!conn_deliver(c, now + SLICE_US))
			turn_add(c);
		now = clock_us(CLOCK_MONOTONIC);
		if (now >= end)
			break;
	}
	n->in_turn = false;
	/* a timer, because an active event would run again before the loop looks at sockets */
	if (next_conn(n))
		event_add(n->turn, &(struct timeval){0, 0});
}
