#include "core/lifecycle/gang_timeout.h"

#include "core/lifecycle/hold.h"
#include "core/txn/effects.h"

#include <syslog.h>

/* One record holds at most about this many jobs; the next look finds the others. */
enum { JOBS_AT_ONCE = 1000 };
enum { LOOK_US = 60 * 1000 * 1000, LOOK_SOONER_US = 1000 * 1000 };

static bool is_overdue(const struct txn *txn, const struct gang *g)
{
	return !gang_is_whole(g) && g->held < g->count &&
	       txn->now_us - g->members[g->count - 1]->submit_us >= txn->policy->gang_timeout_us;
}

static size_t hold_gang(struct txn *txn, const struct gang *g)
{
	effect_log(
		txn, LOG_NOTICE,
		"gang %s of %s in queue %s is held: it has had %zu of its %u members for longer than "
		"scheduler.gang_timeout",
		gang_says(g)->id, gang_lead(g)->user->name, g->queue, g->count,
		gang_says(g)->cardinality);
	for (size_t i = 0; i < g->count; i++)
		job_hold_by_gang(txn, g->members[i]);
	return g->count;
}

void gang_timeout_tick(struct txn *txn)
{
	int64_t timeout_us = txn->policy->gang_timeout_us;
	int64_t pause_us = timeout_us < LOOK_US * INT64_C(10) ? LOOK_SOONER_US : LOOK_US;
	size_t held = 0;

	if (!timeout_us || txn->in->steady_us - txn->live->gangs_looked_us < pause_us)
		return;
	for (const struct gang *of_id = txn->state->gangs; of_id; of_id = of_id->hh.next)
		for (const struct gang *g = of_id; g; g = g->next) {
			if (held < JOBS_AT_ONCE && is_overdue(txn, g))
				held += hold_gang(txn, g);
		}
	if (held < JOBS_AT_ONCE)
		txn->live->gangs_looked_us = txn->in->steady_us;
}

void gang_timeout_release(struct txn *txn, const struct job *j)
{
	const struct gang *g = j->gang;

	if (!g || !g->held || !gang_is_whole(g))
		return;
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->held && g->members[i]->held_by == ARMADA__HOLDER__HOLDER_GANG)
			job_release(txn, g->members[i]);
}
