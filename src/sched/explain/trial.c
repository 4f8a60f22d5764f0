/*
 * The start of a job that does not exist (trial.h): a round that is discarded, and a prediction.
 *
 * Input: the sched, which has the job, and the round. Output: the nodes, the time and the reason. The
 * prediction leaves no reservation behind. It is made only where room is missing: nothing predicts the
 * end of a limit.
 */
#include "sched/trial.h"
#include "sched/explain/dry_run.h"
#include "sched/explain/outcome.h"

#include "util/names.h"

#include <stdlib.h>
#include <string.h>

static void add_node(struct sched_trial *t, const char *name)
{
	if (name)
		t->nodes[t->node_count++] = arena_strdup(t->arena, name);
}

static void settle_nodes(struct sched_trial *t)
{
	size_t n = 0;

	if (!t->node_count) /* no list then, and qsort() must not get NULL */
		return;
	qsort(t->nodes, t->node_count, sizeof(*t->nodes), names_compare);
	for (size_t i = 0; i < t->node_count; i++)
		if (!n || strcmp(t->nodes[n - 1], t->nodes[i]) != 0)
			t->nodes[n++] = t->nodes[i];
	t->node_count = n;
}

static void take_start(const struct sched_result *res, struct sched_trial *t)
{
	const struct sched_decision *d = res->decisions;

	while (d->kind != SCHED_START || d->job != SCHED_TRIAL_ID)
		d++;
	t->nodes = arena_alloc(t->arena, d->node_count * sizeof(*t->nodes));
	for (size_t i = 0; i < d->node_count; i++)
		add_node(t, d->nodes[i]);
	for (size_t i = 0; i < res->decision_count; i++)
		t->preempts += res->decisions[i].kind == SCHED_PREEMPT &&
			       res->decisions[i].for_job == SCHED_TRIAL_ID;
}

static void take_reservation(const struct sched_reservation *v, struct sched_trial *t)
{
	t->start_us = v->start_us;
	t->nodes = arena_alloc(t->arena, v->node_count * sizeof(*t->nodes));
	for (size_t i = 0; i < v->node_count; i++)
		add_node(t, v->nodes[i].name);
}

static bool lacks_room(enum sched_why why)
{
	return why == WHY_RESOURCES || why == WHY_GANG || why == WHY_RESERVED ||
	       why == WHY_PRIORITY || why == WHY_URGENCY || why == WHY_LOOKBACK || why == WHY_SLICE;
}

/* The earliest time at which the running tasks leave room for it. */
static void predict(struct sched *s, uint32_t job, const struct sched_round *round,
		    struct sched_trial *t)
{
	struct model *m = &s->model;
	struct reservation *v = &s->reservation;
	struct reservation_search in = {.m = m, .v = v, .arena = t->arena, .now_us = round->now_us};

	v->fresh_count = 0;
	if (!reservation_find(&in, jobs_shape(m, job)))
		return;
	t->start_us = v->start_us;
	t->nodes = arena_alloc(t->arena, v->at.count * sizeof(*t->nodes));
	for (size_t i = 0; i < v->at.count; i++) {
		add_node(t, m->nodes.list[v->at.nodes[i].node].name);
		m->nodes.list[v->at.nodes[i].node].reserved = NIL;
	}
	v->at.count = 0;
}

int sched_trial_run(struct sched *s, const struct sched_round *in, struct sched_trial *ret)
{
	struct explain_probe w = {.job = jobs_with_id(&s->model, SCHED_TRIAL_ID)};
	struct sched_round round = {.now_us = in->now_us, .seed = in->seed};
	struct sched_result res;
	struct dry_run *dry;
	struct reason why;
	int rc;

	*ret = (struct sched_trial){.arena = arena_new(0)};
	rc = dry_run_begin(s, ret->arena, &dry);
	if (rc) {
		sched_trial_done(ret);
		return rc;
	}
	round_run(s, &round, &w, &res);
	dry_run_end(s, dry);
	why = explain_outcome(&s->model, &w, &res, ret->arena);
	ret->why = why.why;
	ret->text = why.text;
	if (why.why == WHY_NONE) {
		take_start(&res, ret);
	} else if (res.reservation && res.reservation->job == SCHED_TRIAL_ID) {
		take_reservation(res.reservation, ret);
	} else if (lacks_room(why.why)) {
		predict(s, w.job, in, ret);
		ret->before = w.looked_at ? w.before : w.tried;
	}
	sched_result_done(&res);
	settle_nodes(ret);
	return 0;
}

void sched_trial_done(struct sched_trial *t)
{
	arena_free(t->arena);
	*t = (struct sched_trial){0};
}
