#include "sched/explain/explain_change.h"
#include "sched/explain/dry_run.h"
#include "sched/explain/explain_amount.h"
#include "sched/explain/explain_demand.h"
#include "sched/explain/what_if.h"
#include "sched/round/explain_probe.h"

#include <errno.h>

static bool could_fit(const struct explain_search *c, const struct sched_job *as)
{
	struct err err;

	return sched_check_feasible(c->s, as, &err) != -ENOSPC;
}

bool explain_change_decided(const struct sched_result *res, uint64_t job)
{
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START && res->decisions[i].job == job)
			return true;
	return false;
}

bool explain_change_starts(struct explain_search *c, const struct sched_job *as)
{
	struct sched_round round = {.now_us = c->round->now_us, .seed = c->round->seed};
	struct explain_probe w = {.only_start = true};
	struct sched_result res;
	struct what_if swap;
	bool starts;

	if (c->round->stop && !c->cut)
		c->cut = c->round->stop(c->round->stop_arg);
	if (c->cut)
		return false;
	c->tried++;
	if (!could_fit(c, as))
		return false;
	what_if_begin(c->m, c->job, as, &swap);
	w.job = swap.stand_in;
	round_run(c->s, &round, &w, &res);
	starts = explain_change_decided(&res, as->id);
	sched_result_done(&res);
	dry_run_rewind(c->s, c->dry);
	what_if_end(c->m, &swap);
	return starts;
}

/* Could any change of the job make it start? */
static bool worth_it(const struct explain_search *c)
{
	const struct job *j = &c->m->jobs.list[c->job];

	switch (c->why) {
	case WHY_NONE:
	case WHY_NODES_DOWN:
	case WHY_QUEUE_CORDONED:
	case WHY_QUEUE_REMOVED:
	case WHY_QUEUE_JOBS_LIMIT: /* this limit counts jobs, not amounts */
	case WHY_USER_JOBS_LIMIT:
	case WHY_ACCOUNT_JOBS_LIMIT:
		return false;
	default:
		return j->ready &&
		       !c->m->shapes.list[c->m->subqueues.list[j->subqueue].shape].part_count;
	}
}

void explain_change_find(struct explain_search *c)
{
	if (!worth_it(c))
		return;
	c->size = 2;
	jobs_describe(c->m, c->job, &c->now);
	explain_amount_try(c, false);
	if (c->best.kind == CHANGE_NONE)
		explain_demand_try(c);
	if (c->best.kind == CHANGE_NONE)
		explain_amount_try(c, true);
	if (c->best.name)
		c->best.name = arena_strdup(c->arena, c->best.name);
}
