/*
 * The explanation of one job: the round as it would run now, with a probe on the job, and then
 * again for each change that is tried.
 *
 * Input: the sched, the job and the round. Output: the explanation, in an arena of its own. The
 * decisions of the sched are the same afterwards: dry_run.h restores what a round leaves.
 */
#include "sched/explain/dry_run.h"
#include "sched/explain/explain_change.h"
#include "sched/explain/explain_nodes.h"
#include "sched/explain/outcome.h"
#include "sched/round/backfill.h"
#include "sched/round/explain_probe.h"

#include <errno.h>
#include <string.h>

struct inquiry {
	struct sched *s;
	struct model *m; /* of s */
	uint32_t job;
	struct sched_explanation *out;
	bool surveyed;
	int64_t most[SCHED_RESOURCES];
	int64_t window_us; /* time until the reservation begins; 0: there is none */
};

static void survey(struct inquiry *q, bool bound)
{
	explain_nodes_count(q->s, jobs_shape(q->m, q->job), bound, q->out, q->most);
	q->surveyed = true;
}

static void survey_at_turn(struct round *r, void *arg)
{
	struct inquiry *q = arg;

	/* its own reservation does not bind it */
	survey(q, backfill_binds(r, q->job) && !backfill_expected(r, q->job));
	if (r->s->reservation.made)
		q->window_us = r->s->reservation.start_us - r->in->now_us;
}
/* Ready jobs below this point in the tree of a subqueue: all of them, and those before the job. */
static void count_ready(const struct model *m, const struct subqueue *l, uint32_t job,
			struct sched_explanation *out)
{
	for (uint32_t at = l->head; at != NIL; at = subqueue_after(m, at)) {
		out->of++;
		out->place += at == job || subqueue_job_before(m, at, job);
	}
}

static void find_place(const struct inquiry *q)
{
	const struct model *m = q->m;
	const struct queue *queue =
		&m->queues.list[m->subqueues.list[m->jobs.list[q->job].subqueue].queue];

	if (!m->jobs.list[q->job].ready)
		return;
	for (size_t i = 0; i < queue->subqueue_count; i++)
		count_ready(m, &m->subqueues.list[queue->subqueues[i]], q->job, q->out);
}

static void find_share(const struct inquiry *q, const struct sched_result *res)
{
	const struct model *m = q->m;
	const char *name =
		m->queues.list[m->subqueues.list[m->jobs.list[q->job].subqueue].queue].name;

	for (size_t i = 0; i < res->share_count; i++) {
		if (strcmp(res->shares[i].queue, name) != 0)
			continue;
		q->out->share = res->shares[i];
		q->out->share.queue = arena_strdup(q->out->arena, name);
	}
}

/* The round as it would run now, with a probe on the job. */
static void probe_round(struct inquiry *q, const struct sched_round *in, const struct dry_run *dry)
{
	struct explain_probe w = {.job = q->job, .at_turn = survey_at_turn, .arg = q};
	struct sched_round round = {.now_us = in->now_us, .seed = in->seed};
	struct sched_explanation *out = q->out;
	struct sched_result res;
	struct reason why;

	round_run(q->s, &round, &w, &res);
	dry_run_rewind(q->s, dry);
	why = explain_outcome(q->m, &w, &res, out->arena);
	out->why = why.why;
	out->text = why.text;
	out->looked_at = w.looked_at;
	if (res.reservation && res.reservation->job == q->m->jobs.list[q->job].id)
		out->expected_us = res.reservation->start_us;
	out->before = w.looked_at ? w.before : w.tried;
	find_share(q, &res);
	sched_result_done(&res);
}

static void find_change(struct inquiry *q, const struct sched_round *round,
			const struct dry_run *dry)
{
	struct explain_search c = {.s = q->s,
				   .m = q->m,
				   .arena = q->out->arena,
				   .job = q->job,
				   .round = round,
				   .dry = dry,
				   .why = q->out->why,
				   .window_us = q->window_us};

	memcpy(c.guess, q->most, sizeof(c.guess));
	explain_change_find(&c);
	q->out->change = c.best;
	q->out->tried = c.tried;
	q->out->cut = c.cut;
}

int sched_explain(struct sched *s, uint64_t id, const struct sched_round *round,
		  struct sched_explanation *ret)
{
	struct model *m = &s->model;
	struct inquiry q = {
		.s = s, .m = m, .job = gang_jobs_whole(m, jobs_with_id(m, id)), .out = ret};
	struct dry_run *dry;
	int rc;

	*ret = (struct sched_explanation){0};
	if (q.job == NIL || m->jobs.list[q.job].id != id)
		return -ENOENT;
	if (!jobs_waiting(&m->jobs.list[q.job]))
		return -EALREADY;
	ret->arena = arena_new(0);
	rc = dry_run_begin(s, ret->arena, &dry);
	if (rc) {
		sched_explanation_done(ret);
		return rc;
	}
	probe_round(&q, round, dry);
	if (!q.surveyed)
		survey(&q, false);
	find_place(&q);
	find_change(&q, round, dry);
	dry_run_end(s, dry);
	return 0;
}

void sched_explanation_done(struct sched_explanation *e)
{
	arena_free(e->arena);
	*e = (struct sched_explanation){0};
}
