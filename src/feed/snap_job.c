/*
 * Jobs of a snapshot: each with the elements that ran at that moment.
 *
 * Input: a SnapJob. Output: the job in the feed and in the scheduler, as if its events had come one by one.
 */
#include "feed/snap_job.h"

#include "feed/avoid.h"
#include "feed/elastic.h"
#include "feed/known_job.h"
#include "feed/task_replacement.h"
#include "proto/group_minimum.h"

/* Reports the ended tasks of an element in a snapshot, and their replacements. */
static void snap_restarts(struct sched_feed *m, struct known_job *k, const Armada__SnapElement *e)
{
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;

	key.job = k->id;
	key.element = e->index;
	for (size_t i = 0; k->restarts && i < e->n_tasks; i++) {
		key.rank = (uint32_t)i;
		if (e->tasks[i]->ended)
			restarts_task_ended(m, k, &key);
		if (e->tasks[i]->replacement)
			restarts_task_vacated(m, k, &key, e->tasks[i]->replacement);
	}
}

static void snap_elastic(struct sched_feed *m, struct known_job *k, const Armada__SnapElement *e,
			 const uint32_t *groups)
{
	elastic_leased(m, k, e->index, e->extras, NULL, groups, e->together);
	if (e->n_scaled)
		elastic_scaled(m, k, e->index, e->scaled, e->n_scaled);
	for (size_t i = 0; e->extras && i < e->n_tasks; i++)
		elastic_restored(m, k, e->index, (uint32_t)i, e->tasks[i]);
	if (e->start_us)
		elastic_begun(m, k, e->index);
	elastic_suspended(m, k, e->index, e->suspended);
	if (e->why)
		elastic_ending(m, k, e->index, e->yields);
	else if (e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		elastic_pin(m, k, e->index, true);
}

static void snap_element(struct sched_feed *m, const Armada__Record *r, struct known_job *k,
			 const Armada__SnapElement *e)
{
	char **nodes = arena_alloc(m->arena, e->n_tasks * sizeof(*nodes));
	uint32_t *groups = arena_alloc(m->arena, e->n_tasks * sizeof(*groups));
	size_t together = e->extras ? e->together : e->n_tasks;
	/* an element that has not started counts as started now, so its end is not predicted too early */
	int64_t start_us = e->start_us ? e->start_us : r->wall_us;

	for (size_t i = 0; i < e->n_tasks; i++) {
		nodes[i] = e->tasks[i]->node;
		groups[i] = e->tasks[i]->group;
	}
	/* sched_run takes a waiting element */
	k->left++;
	sched_wait(m->sched, k->id, e->index, e->index, 1);
	known_job_run(m, k, e->index, nodes, groups, together < e->n_tasks ? together : e->n_tasks,
		      start_us);
	if (e->time_limit_s)
		sched_limit(m->sched, k->id, e->index, e->time_limit_s * 1000000);
	snap_restarts(m, k, e);
	snap_elastic(m, k, e, groups);
	if (e->yields)
		known_job_yield(m, k->id, e->index);
	sched_pin(m->sched, k->id, e->index,
		  e->state == ARMADA__JOB_STATE__JOB_UNKNOWN ||
			  e->state == ARMADA__JOB_STATE__JOB_COMPLETING);
}

/* True if the first tasks of the groups are those that started together. */
static bool is_as_described(const Armada__JobSpec *s, const uint32_t *counts)
{
	for (size_t i = 0; i < s->n_groups; i++)
		if (counts[i] != group_together(s, i))
			return false;
	return true;
}

/*
 * The job as it was when its element started: it may have been scaled since. The job itself if this makes no
 * difference.
 */
static const Armada__JobSubmitted *as_started(struct sched_feed *m, const Armada__SnapJob *s)
{
	const Armada__SnapElement *e = s->n_elements ? s->elements[0] : NULL;
	const Armada__JobSpec *spec = s->job->spec;
	Armada__JobSubmitted *sub;
	uint32_t *counts;

	if (!e || !e->extras || spec->n_array)
		return s->job;
	counts = arena_zalloc(m->arena, spec->n_groups, sizeof(*counts));
	for (size_t i = 0; i < e->together && i < e->n_tasks; i++)
		counts[e->tasks[i]->group]++;
	if (is_as_described(spec, counts))
		return s->job;
	sub = arena_memdup(m->arena, s->job, sizeof(*sub));
	sub->spec = arena_memdup(m->arena, spec, sizeof(*spec));
	sub->spec->groups = arena_alloc(m->arena, spec->n_groups * sizeof(*spec->groups));
	for (size_t i = 0; i < spec->n_groups; i++) {
		sub->spec->groups[i] =
			arena_memdup(m->arena, spec->groups[i], sizeof(**spec->groups));
		sub->spec->groups[i]->replicas = counts[i];
		sub->spec->groups[i]->min_available = 0;
	}
	sub->spec->min_available = e->together;
	return sub;
}

void snap_job(struct sched_feed *m, const Armada__Record *r, const Armada__SnapJob *s)
{
	const Armada__JobSubmitted *started = as_started(m, s);
	struct known_job *k = known_job_add(m, started, s->submit_us);

	avoids_are(m, k, s->avoids, s->n_avoids);
	if (s->held)
		known_job_hold(m, s->job->id, true);
	known_job_restart(m, s->job->id, s->next);
	for (size_t i = 0; i < s->n_waiting; i++)
		known_job_wait(m, k, s->waiting[i], false);
	for (size_t i = 0; i < s->n_withheld && !k->gang_cardinality; i++)
		sched_unwait(m->sched, k->id, s->withheld[i]->first, s->withheld[i]->last);
	if (s->n_withheld && k->gang_cardinality)
		known_job_withhold(m, k, true);
	for (size_t i = 0; i < s->n_elements; i++) {
		if (s->elements[i]->ordered)
			sched_gang_begun(m->sched, k->id);
		if (s->elements[i]->not_before_us)
			known_job_pause(m, k, s->elements[i]->index, true);
		if (s->elements[i]->n_tasks)
			snap_element(m, r, k, s->elements[i]);
	}
	if (started != s->job)
		known_job_change(m, k, s->job->spec);
}
