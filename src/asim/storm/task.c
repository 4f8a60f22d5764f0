#include "asim/storm/task.h"
#include "asim/storm/clock.h"
#include "asim/storm/effects.h"
#include "asim/storm/invariant.h"
#include "asim/storm/journal.h"
#include "asim/storm/spool.h"

static const uint32_t failures[] = {
	ARMADA__END_CAUSE__END_NODE,
	ARMADA__END_CAUSE__END_NODE,
	ARMADA__END_CAUSE__END_ACCOUNT,
	ARMADA__END_CAUSE__END_LAUNCH_FAILED,
};

/* The task is set up in full and waits for the release. */
static void reach_barrier(struct storm *s, struct sim_node *n, struct sim_attempt *a)
{
	struct ledger_effects out = {.arena = s->arena};
	char text[64];

	if (a->cause || storm_fault(s, 60)) {
		if (!a->cause)
			a->cause = failures[storm_random(s, ARRAY_SIZE(failures))];
		sim_spool_plan(s, n, a, SIM_TASK_END, 1000);
		return;
	}
	a->ready = true;
	task_key_format(&a->key, text);
	storm_trace(s, "%s waits to be released", text);
	INVARIANTS(s, on_ready, &a->key);
	if (!n->up)
		return;
	ledger_ready(n->ledger, &a->key, &out);
	sim_effects_ledger(s, n, &out);
}

void sim_task_started(struct storm *s, const struct sim_event *ev)
{
	struct sim_node *n = &s->nodes[ev->node];
	struct sim_attempt *a = sim_spool_find(n, &ev->key);
	struct ledger_effects out = {.arena = s->arena};

	if (!a || !a->alive || a->ended || a->lapsed)
		return;
	if (a->terms.gated && !a->released) {
		reach_barrier(s, n, a);
		return;
	}
	sim_journal_start(s, n, &a->key);
	a->start_us = SIM_EPOCH_US + s->now_us;
	sim_spool_plan(s, n, a, SIM_TASK_END,
		       storm_random(s, 4) ? storm_random(s, 5000000) : storm_random(s, 300000000));
	if (!n->up)
		return;
	ledger_started(n->ledger, &a->key, a->start_us, &out);
	sim_effects_ledger(s, n, &out);
}

void sim_task_ended(struct storm *s, const struct sim_event *ev)
{
	struct sim_node *n = &s->nodes[ev->node];
	struct sim_attempt *a = sim_spool_find(n, &ev->key);
	struct ledger_effects out = {.arena = s->arena};
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	if (!a || !a->alive || a->ended)
		return;
	if (a->start_us)
		sim_journal_end(s, &a->key);
	end.cause = a->cause ? a->cause : ARMADA__END_CAUSE__END_EXITED;
	end.exit_code = !a->cause && storm_random(s, 10) == 0;
	if (storm_fault(s, 60))
		end.node_problem = (char *)"epilog: bad weather";
	end.start_us = a->start_us;
	end.end_us = SIM_EPOCH_US + s->now_us;
	a->end = end;
	a->end.text = xstrdup("");
	a->ended = true;
	a->alive = false;
	if (!n->up)
		return;
	ledger_ended(n->ledger, &a->key, &a->end, false, &out);
	sim_effects_ledger(s, n, &out);
}
