#include "sched/watch.h"

static bool is_closed(const struct sched *s, uint32_t job)
{
	const struct queue *q = &s->queues[s->lanes[s->jobs[job].lane].queue];

	return q->cordoned || !q->present;
}

bool watch_concerns(const struct round *r, uint32_t job)
{
	const struct sched *s = r->s;
	uint32_t watched = r->watch->job;

	if (job == watched)
		return true;
	/* Those that stand in line are passed one by one where it counts how many were looked at. */
	if (s->limits.queue_lookback && !is_closed(s, job))
		return false;
	return s->jobs[watched].ready && s->jobs[job].lane == s->jobs[watched].lane &&
	       job_before(s, job, watched);
}

static void tell(struct round *r, struct reason reason)
{
	struct watch *w = r->watch;

	if (w->why.text)
		return;
	w->why = reason;
	if (w->started) /* it is about elements after the one that was */
		return;
	w->before = w->tried - w->own;
	w->looked_at = true;
	r->settled = w->only_start;
	if (w->at_turn)
		w->at_turn(r, w->arg);
}

void watch_reason(struct round *r, uint32_t job, struct reason reason)
{
	if (watch_concerns(r, job))
		tell(r, reason);
}

struct reason watch_blocked(struct round *r, uint32_t lane, uint32_t found)
{
	struct sched *s = r->s;

	if (r->watch->only_start || s->lanes[lane].key != s->lanes[s->jobs[r->watch->job].lane].key)
		return (struct reason){WHY_RESOURCES, "no room"};
	return reason_blocked(s, r->arena, s->lanes[lane].key, found);
}

void watch_limit(struct round *r, uint32_t row, enum verdict verdict, struct reason reason)
{
	struct sched *s = r->s;

	if (!r->watch)
		return;
	if (verdict == LIMIT_GANG && head_lane(r, row) == s->jobs[r->watch->job].lane)
		r->watch->limited = reason;
	if (verdict == LIMIT_GANG)
		return;
	if (s->jobs[r->watch->job].ready &&
	    (verdict == LIMIT_ROUND ||
	     s->lanes[s->jobs[r->watch->job].lane].queue == r->queue[row]))
		tell(r, reason);
}

void watch_passed(struct round *r, uint32_t job)
{
	if (r->watch && r->watch->job == job)
		tell(r, r->watch->limited);
}

void watch_count(struct round *r, uint32_t lane)
{
	struct watch *w = r->watch;

	if (!w)
		return;
	w->tried++;
	w->own = w->own || r->s->lanes[lane].cursor == w->job;
}

void watch_uncount(struct round *r, uint32_t lane)
{
	struct watch *w = r->watch;

	if (!w)
		return;
	w->tried--;
	if (r->s->lanes[lane].cursor == w->job)
		w->own = false;
}

void watch_placed(struct round *r, uint32_t lane)
{
	struct watch *w = r->watch;

	if (!w || w->started || r->s->lanes[lane].cursor != w->job)
		return;
	w->started = w->looked_at = true;
	w->before = w->tried - 1;
	r->settled = w->only_start && !r->s->level_count; /* nobody will take it away again */
}
