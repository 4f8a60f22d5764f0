#include "asim/storm/shutdown.h"
#include "asim/storm/attempt.h"
#include "asim/storm/effects.h"

enum { GRACE_MS = 5000, OFF_MAX_US = 20000000 };

void sim_shutdown_begin(struct storm *s, struct sim_node *n)
{
	int64_t off_us = 1000 + storm_random(s, OFF_MAX_US);

	if (n->leaving)
		return;
	storm_trace(s, "%s: the machine is being shut down", n->name);
	s->count.shutdowns++;
	n->leaving = true;
	storm_plan(s, off_us,
		   (struct sim_event){.kind = SIM_NODE_OFF, .node = n->index, .life = n->boot});
	sim_shutdown_send(s, n);
	for (struct sim_attempt *a = n->spool; a; a = a->next)
		sim_attempt_kill(s, n, a, ARMADA__END_CAUSE__END_SHUTDOWN, GRACE_MS);
}

void sim_shutdown_send(struct storm *s, struct sim_node *n)
{
	struct link_effects out = {.arena = s->arena};

	if (!n->up || !n->leaving)
		return;
	link_shutdown(n->link, s->now_us, &out);
	sim_effects_link(s, n, &out);
}

/*
 * The power goes off and kills all tasks that have not ended. Ends that were not reported are in
 * the spool.
 */
void sim_shutdown_off(struct storm *s, const struct sim_event *ev)
{
	struct sim_node *n = &s->nodes[ev->node];

	n->leaving = false;
	sim_node_reboot(s, n);
}
