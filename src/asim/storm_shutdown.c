/* A machine that is shut down in good order and comes back; its tasks are told of in time, or not. */
#include "asim/storm_parts.h"

#include <string.h>

enum { GRACE_MS = 5000, OFF_MOST_US = 20000000 };

void node_shut_down(struct storm *s, struct storm_node *n)
{
	struct happening off = {
		.kind = HAPPEN_NODE_OFF,
		.node = n->index,
		.life = (uint32_t)n->boot,
		.at_us = s->now_us + 1000 + storm_random(s, OFF_MOST_US),
	};

	if (n->leaving)
		return;
	storm_trace(s, "%s: the machine is being shut down", n->name);
	s->count.shutdowns++;
	n->leaving = true;
	happenings_put(&s->queue, &off);
	node_say_leaving(s, n);
	for (struct storm_attempt *a = n->spool; a; a = a->next)
		attempt_kill(s, n, a, ARMADA__END_CAUSE__END_SHUTDOWN, GRACE_MS);
}

void node_say_leaving(struct storm *s, struct storm_node *n)
{
	struct link_effects out = {.arena = s->arena};

	if (!n->up || !n->leaving)
		return;
	link_leaving(n->link, s->now_us, &out);
	node_link_effects(s, n, &out);
}

/* The power is off: what has not ended by now is killed by that, and what was not told is in the spool. */
void node_off(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];

	if (h->life != (uint32_t)n->boot)
		return;
	n->leaving = false;
	node_reboot(s, n);
}

/* Whose machine went down in good order runs again, for as long as anybody's would. */
void shutdown_check(struct storm *s, const struct storm_job *j,
		    const struct armada_history_row *row)
{
	const Armada__JobRow *m;
	struct err err;

	if (row->state != ARMADA__JOB_STATE__JOB_NODE_FAIL || j->no_requeue || !row->row)
		return;
	m = msg_unpack_as(&armada__job_row__descriptor, row->row, row->row_len, s->arena, &err);
	if (m && strstr(m->reason, "was shut down"))
		storm_violate(s, "%llu_%u was ended for good by the shutdown of its machine",
			      (unsigned long long)j->id, row->first_element);
}
