/*
 * A probe on one job in a round: does it start, and if not, why?
 *
 * Input: calls of the round whenever a gang is tried, placed, skipped or delayed. Output: the
 * outcome in struct explain_probe. Reasons for the job, or for its whole subqueue, are stored there
 * and not emitted. The first one counts.
 */
#include "sched/round/explain_probe.h"
#include "sched/round/queue_head.h"

static bool is_closed(const struct model *m, uint32_t job)
{
	const struct queue *q =
		&m->queues.list[m->subqueues.list[m->jobs.list[job].subqueue].queue];

	return q->cordoned || !q->present;
}

bool explain_probe_concerns(const struct round *r, uint32_t job)
{
	const struct model *m = r->m;
	uint32_t probed = r->probe->job;

	if (job == probed)
		return true;
	/* With a look-back, waiting jobs are passed one by one, and each gets its own reason. */
	if (m->limits.queue_lookback && !is_closed(m, job))
		return false;
	return m->jobs.list[probed].ready &&
	       m->jobs.list[job].subqueue == m->jobs.list[probed].subqueue &&
	       subqueue_job_before(m, job, probed);
}

static void tell(struct round *r, struct reason reason)
{
	struct explain_probe *w = r->probe;

	if (w->why.text)
		return;
	w->why = reason;
	if (w->started) /* the reason is for the elements after the started one */
		return;
	w->before = w->tried - w->own;
	w->looked_at = true;
	r->settled = w->only_start;
	if (w->at_turn)
		w->at_turn(r, w->arg);
}

void explain_probe_reason(struct round *r, uint32_t job, struct reason reason)
{
	if (explain_probe_concerns(r, job))
		tell(r, reason);
}

struct reason explain_probe_blocked(struct round *r, uint32_t subqueue, uint32_t found)
{
	struct model *m = r->m;

	if (r->probe->only_start ||
	    m->subqueues.list[subqueue].shape != jobs_shape(m, r->probe->job))
		return (struct reason){WHY_RESOURCES, "no room"};
	return reason_blocked(r->s, r->arena, m->subqueues.list[subqueue].shape, found);
}

void explain_probe_limit(struct round *r, uint32_t row, enum limit_verdict verdict,
			 struct reason reason)
{
	struct model *m = r->m;

	if (!r->probe)
		return;
	if (verdict == LIMIT_GANG &&
	    queue_head_subqueue(r, row) == m->jobs.list[r->probe->job].subqueue)
		r->probe->limited = reason;
	if (verdict == LIMIT_GANG)
		return;
	if (m->jobs.list[r->probe->job].ready &&
	    (verdict == LIMIT_ROUND ||
	     m->subqueues.list[m->jobs.list[r->probe->job].subqueue].queue == r->queue[row]))
		tell(r, reason);
}

void explain_probe_passed(struct round *r, uint32_t job)
{
	if (r->probe && r->probe->job == job)
		tell(r, r->probe->limited);
}

void explain_probe_count(struct round *r, uint32_t subqueue)
{
	struct explain_probe *w = r->probe;

	if (!w)
		return;
	w->tried++;
	w->own = w->own || r->m->subqueues.list[subqueue].cursor == w->job;
}

void explain_probe_uncount(struct round *r, uint32_t subqueue)
{
	struct explain_probe *w = r->probe;

	if (!w)
		return;
	w->tried--;
	if (r->m->subqueues.list[subqueue].cursor == w->job)
		w->own = false;
}

void explain_probe_placed(struct round *r, uint32_t subqueue)
{
	struct explain_probe *w = r->probe;

	if (!w || w->started || r->m->subqueues.list[subqueue].cursor != w->job)
		return;
	w->started = w->looked_at = true;
	w->before = w->tried - 1;
	/* without levels, the rest of the round cannot take its nodes away */
	r->settled = w->only_start && !r->m->levels.count;
}
