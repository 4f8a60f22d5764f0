#include "asim/storm/attempt.h"
#include "asim/storm/lease.h"

void sim_attempt_fork(struct storm *s, struct sim_node *n, struct sim_attempt *a)
{
	a->forked = true;
	a->alive = true;
	if (sim_lease_begins(s, n, a))
		sim_spool_plan(s, n, a, SIM_TASK_START, 1000 + storm_random(s, 100000));
	if (n->leaving) /* accepted before the shutdown, and started late */
		sim_attempt_kill(s, n, a, ARMADA__END_CAUSE__END_SHUTDOWN, 1000);
}

void sim_attempt_kill(struct storm *s, struct sim_node *n, struct sim_attempt *a, uint32_t cause,
		      int64_t grace_ms)
{
	if (!a->alive || a->ended || a->cause)
		return;
	a->cause = cause;
	sim_spool_plan(s, n, a, SIM_TASK_END, 1000 + storm_random(s, grace_ms * 1000 + 1));
}

void sim_attempt_release(struct storm *s, struct sim_node *n, struct sim_attempt *a)
{
	if (!a->alive || a->ended || a->cause || !a->ready || a->released)
		return;
	a->released = true;
	sim_spool_plan(s, n, a, SIM_TASK_START, 1000 + storm_random(s, 20000));
}
