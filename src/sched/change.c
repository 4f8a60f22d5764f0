#include "sched/change.h"

#include <errno.h>

static bool could_fit(const struct search *c, const struct sched_job *as)
{
	struct err err;

	return sched_could_fit(c->s, as, &err) != -ENOSPC;
}

static bool decided(const struct sched_result *res, uint64_t job)
{
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START && res->decisions[i].job == job)
			return true;
	return false;
}

bool change_starts(struct search *c, const struct sched_job *as)
{
	struct sched_round round = {.now_us = c->round->now_us, .seed = c->round->seed};
	struct watch w = {.only_start = true};
	struct sched_result res;
	struct swap swap;
	bool starts;

	if (c->round->stop && !c->cut)
		c->cut = c->round->stop(c->round->stop_arg);
	if (c->cut)
		return false;
	c->tried++;
	if (!could_fit(c, as))
		return false;
	swap_in(c->s, c->job, as, &swap);
	w.job = swap.stand_in;
	round_run(c->s, &round, &w, &res);
	starts = decided(&res, as->id);
	sched_result_done(&res);
	dry_rewind(c->s, c->dry);
	swap_out(c->s, &swap);
	return starts;
}

/* Is there anything about the job that could help? */
static bool worth_it(const struct search *c)
{
	const struct job *j = &c->s->jobs[c->job];

	switch (c->why) {
	case WHY_NONE:
	case WHY_NODES_DOWN:
	case WHY_QUEUE_CORDONED:
	case WHY_QUEUE_REMOVED:
	case WHY_QUEUE_JOBS_LIMIT: /* however little it asks for */
	case WHY_USER_JOBS_LIMIT:
		return false;
	default:
		return j->ready && !c->s->keys[c->s->lanes[j->lane].key].part_count;
	}
}

void change_find(struct search *c)
{
	if (!worth_it(c))
		return;
	c->size = 2;
	swap_describe(c->s, c->job, &c->now);
	change_amounts(c, false);
	if (c->best.kind == CHANGE_NONE)
		change_demands(c);
	if (c->best.kind == CHANGE_NONE)
		change_amounts(c, true);
	if (c->best.name)
		c->best.name = arena_strdup(c->arena, c->best.name);
}
