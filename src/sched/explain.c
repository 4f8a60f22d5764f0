#include "sched/change.h"
#include "sched/survey.h"
#include "sched/watch.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

struct inquiry {
	struct sched *s;
	uint32_t job;
	struct sched_explanation *out;
	bool surveyed;
	int64_t most[SCHED_RESOURCES];
	int64_t window_us; /* until the reservation begins; 0: there is none */
};

static void survey(struct inquiry *q, bool bound)
{
	const struct sched *s = q->s;

	survey_nodes(q->s, s->lanes[s->jobs[q->job].lane].key, bound, q->out, q->most);
	q->surveyed = true;
}

static void survey_at_turn(struct round *r, void *arg)
{
	struct inquiry *q = arg;

	/* its own reservation keeps it off nothing */
	survey(q, backfill_binds(r, q->job) && !backfill_expected(r, q->job));
	if (r->s->reserve.made)
		q->window_us = r->s->reserve.start_us - r->in->now_us;
}
/* Ready jobs under this place in the tree of a lane: all of them, and those before the job. */
static void count_ready(const struct sched *s, const struct lane *l, uint32_t job,
			struct sched_explanation *out)
{
	for (uint32_t at = l->head; at != NIL; at = lane_after(s, at)) {
		out->of++;
		out->place += at == job || job_before(s, at, job);
	}
}

static void find_place(const struct inquiry *q)
{
	const struct sched *s = q->s;
	const struct queue *queue = &s->queues[s->lanes[s->jobs[q->job].lane].queue];

	if (!s->jobs[q->job].ready)
		return;
	for (size_t i = 0; i < queue->lane_count; i++)
		count_ready(s, &s->lanes[queue->lanes[i]], q->job, q->out);
}

static void find_share(const struct inquiry *q, const struct sched_result *res)
{
	const struct sched *s = q->s;
	const char *name = s->queues[s->lanes[s->jobs[q->job].lane].queue].name;

	for (size_t i = 0; i < res->share_count; i++) {
		if (strcmp(res->shares[i].queue, name) != 0)
			continue;
		q->out->share = res->shares[i];
		q->out->share.queue = arena_strdup(q->out->arena, name);
	}
}

static bool starts(const struct inquiry *q, const struct sched_result *res)
{
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START &&
		    res->decisions[i].job == q->s->jobs[q->job].id)
			return true;
	return false;
}

/* What became of it, in words. */
static struct reason outcome(const struct inquiry *q, const struct watch *w,
			     const struct sched_result *res)
{
	const struct job *j = &q->s->jobs[q->job];
	struct arena *a = q->out->arena;

	if (res->fault)
		return (struct reason){
			WHY_PRIORITY, arena_printf(a, "the round decides nothing: %s", res->fault)};
	if (starts(q, res))
		return (struct reason){WHY_NONE, "it starts in the next round"};
	if (!j->ready)
		return reason_unready(a, j);
	if (w->started && !w->why.text)
		return (struct reason){
			WHY_URGENCY,
			"a more urgent job of the same round takes the room it would have"};
	if (w->looked_at)
		return (struct reason){w->why.why, arena_strdup(a, w->why.text)};
	return (struct reason){WHY_PRIORITY,
			       arena_printf(a, "its turn did not come: %llu others were tried",
					    (unsigned long long)w->tried)};
}

/* The round as it would run now, with an eye on the job. */
static void watch_round(struct inquiry *q, const struct sched_round *in, const struct dry *dry)
{
	struct watch w = {.job = q->job, .at_turn = survey_at_turn, .arg = q};
	struct sched_round round = {.now_us = in->now_us, .seed = in->seed};
	struct sched_explanation *out = q->out;
	struct sched_result res;
	struct reason why;

	round_run(q->s, &round, &w, &res);
	dry_rewind(q->s, dry);
	why = outcome(q, &w, &res);
	out->why = why.why;
	out->text = why.text;
	out->looked_at = w.looked_at;
	if (res.reservation && res.reservation->job == q->s->jobs[q->job].id)
		out->expected_us = res.reservation->start_us;
	out->before = w.looked_at ? w.before : w.tried;
	find_share(q, &res);
	sched_result_done(&res);
}

static void find_change(struct inquiry *q, const struct sched_round *round, const struct dry *dry)
{
	struct search c = {.s = q->s,
			   .arena = q->out->arena,
			   .job = q->job,
			   .round = round,
			   .dry = dry,
			   .why = q->out->why,
			   .window_us = q->window_us};

	memcpy(c.guess, q->most, sizeof(c.guess));
	change_find(&c);
	q->out->change = c.best;
	q->out->tried = c.tried;
	q->out->cut = c.cut;
}

int sched_explain(struct sched *s, uint64_t id, const struct sched_round *round,
		  struct sched_explanation *ret)
{
	struct inquiry q = {.s = s, .job = view_job_find(s, id), .out = ret};
	struct dry *dry;
	int rc;

	*ret = (struct sched_explanation){0};
	if (q.job == NIL)
		return -ENOENT;
	if (!job_waiting(&s->jobs[q.job]))
		return -EALREADY;
	ret->arena = arena_new(0);
	rc = dry_begin(s, ret->arena, &dry);
	if (rc) {
		sched_explanation_done(ret);
		return rc;
	}
	watch_round(&q, round, dry);
	if (!q.surveyed)
		survey(&q, false);
	find_place(&q);
	find_change(&q, round, dry);
	dry_end(s, dry);
	return 0;
}

void sched_explanation_done(struct sched_explanation *e)
{
	arena_free(e->arena);
	*e = (struct sched_explanation){0};
}
