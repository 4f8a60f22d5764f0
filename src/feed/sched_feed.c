/*
 * The feed of the scheduler: applies the records of the core to the scheduler's model.
 *
 * Input: the records of the core in order; at the start, the records of a snapshot. Output: calls of sched.h
 * for jobs and elements; the other files of this folder handle nodes, queues and replaced tasks. For each job
 * the feed keeps only the data that later events do not repeat (struct known_job).
 *
 * Caveats: a record may be applied before it is durable. Gangs and task replacements are updated after each
 * record, not after each event, because the events of one record come in any order. The records of a snapshot
 * describe one moment, so the model's clock stands still until the first record after them.
 */
#include "feed/sched_feed.h"

#include "core/core.h"
#include "core/state/gang.h"
#include "feed/avoid.h"
#include "feed/describe.h"
#include "feed/elastic.h"
#include "feed/nodes_queues.h"
#include "feed/task_replacement.h"
#include "sched/trial.h"
#include "sched/usage_history.h"
#include "util/mem.h"
#include "util/steps.h"

#include <string.h>

struct sched_feed *sched_feed_new(struct sched *s, const char *const *resources,
				  size_t resource_count)
{
	struct sched_feed *m = xcalloc(1, sizeof(*m));

	m->sched = s;
	m->arena = arena_new(0);
	for (size_t i = 0; i < resource_count && i < SCHED_RESOURCES; i++)
		m->resources[m->resource_count++] = xstrdup(resources[i]);
	return m;
}

static void drop_job(struct sched_feed *m, struct known_job *j)
{
	restarts_free(j);
	elastic_free(j);
	avoids_free(j);
	HASH_DEL(m->jobs, j);
	free(j->replicas);
	buf_done(&j->late);
	free(j);
}

void sched_feed_free(struct sched_feed *m)
{
	if (!m)
		return;
	while (m->jobs)
		drop_job(m, m->jobs);
	nodes_queues_free(m);
	for (size_t i = 0; i < m->resource_count; i++)
		free(m->resources[i]);
	arena_free(m->arena);
	free(m);
}

static void take_amounts(const struct sched_feed *m, Armada__Resource *const *list, size_t n,
			 bool floating, int64_t ret[SCHED_RESOURCES])
{
	memset(ret, 0, SCHED_RESOURCES * sizeof(*ret));
	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < m->resource_count; r++)
			if (strcmp(list[i]->name, m->resources[r]) == 0 &&
			    resource_is_floating(r) == floating)
				ret[r] += list[i]->amount;
}

void sched_feed_amounts(const struct sched_feed *m, Armada__Resource *const *list, size_t n,
			int64_t ret[SCHED_RESOURCES])
{
	take_amounts(m, list, n, false, ret);
}

void floating_amounts(const struct sched_feed *m, Armada__Resource *const *list, size_t n,
		      int64_t ret[SCHED_RESOURCES])
{
	take_amounts(m, list, n, true, ret);
}

/* NULL: no job of that id. */
static struct known_job *find_job(const struct sched_feed *m, uint64_t id)
{
	struct known_job *j;

	HASH_FIND(hh, m->jobs, &id, sizeof(id), j);
	return j;
}

/* Stores the members of the job, and the number of tasks of each group if it has several groups. */
static void note_shape(struct known_job *k, const Armada__JobSpec *s)
{
	k->division = task_division_of(s);
	k->members = k->division.members;
	free(k->replicas);
	k->replicas = NULL;
	if (s->n_groups < 2)
		return;
	k->group_count = (uint16_t)s->n_groups;
	k->replicas = xcalloc(s->n_groups, sizeof(*k->replicas));
	k->members = 0;
	for (size_t i = 0; i < s->n_groups; i++)
		k->members += k->replicas[i] = s->groups[i]->replicas;
}

/* The gang that the job is a member of; NULL: none. */
static const struct sched_gang *gang_of(struct sched_feed *m, const Armada__JobSubmitted *sub)
{
	const Armada__JobSpec *s = sub->spec;
	struct sched_gang gang = {.cardinality = s->gang_cardinality, .min = s->gang_min};

	if (!s->gang_id[0])
		return NULL;
	/* with the lengths, different names never give the same text; core/state/gang.h */
	gang.name = s->gang_of_queue ? arena_printf(m->arena, "%u %zu %s%s", sub->uid,
						    strlen(s->queue), s->queue, s->gang_id)
				     : arena_printf(m->arena, "%u %zu %zu %s%s%s", sub->uid,
						    strlen(s->queue), strlen(s->job_set), s->queue,
						    s->job_set, s->gang_id);
	return arena_memdup(m->arena, &gang, sizeof(gang));
}

static struct known_job *add_job(struct sched_feed *m, const Armada__JobSubmitted *sub,
				 int64_t submit_us)
{
	const Armada__JobSpec *s = sub->spec;
	struct known_job *k = xcalloc(1, sizeof(*k));
	struct sched_job j;

	k->id = sub->id;
	note_shape(k, s);
	restarts_submitted(k, sub, submit_us);
	elastic_submitted(k, sub, submit_us);
	HASH_ADD(hh, m->jobs, id, sizeof(k->id), k);
	k->gang_cardinality = s->gang_id[0] ? s->gang_cardinality : 0;
	describe_job(m, sub, submit_us, &j);
	j.gang = gang_of(m, sub);
	sched_job_add(m->sched, &j);
	return k;
}

/*
 * Adds waiting elements to a job. The scheduler does not know withheld elements, except for members of gangs.
 */
static void add_range(struct sched_feed *m, struct known_job *k, const Armada__IndexRange *r,
		      bool withheld)
{
	k->left += steps_count(r->first, r->last, r->step);
	if (!withheld || k->gang_cardinality)
		sched_wait(m->sched, k->id, r->first, r->last, r->step ? r->step : 1);
}

static void hold_known(struct sched_feed *m, struct known_job *k)
{
	sched_job_hold(m->sched, k->id, k->held || k->withheld || k->restarting);
}

static void hold_job(struct sched_feed *m, uint64_t job, bool held)
{
	struct known_job *k = find_job(m, job);

	if (!k)
		return;
	k->held = held;
	hold_known(m, k);
	elastic_look_again(m, k);
}

/* No element starts until the update that makes the change. */
static void restart_job(struct sched_feed *m, uint64_t job, bool begins)
{
	struct known_job *k = find_job(m, job);

	if (!k || k->restarting == begins)
		return;
	k->restarting = begins;
	hold_known(m, k);
}

/* To the scheduler a withheld job of a gang is a held job, so that the scheduler knows the whole gang. */
static void withhold_member(struct sched_feed *m, struct known_job *k, bool withheld)
{
	k->withheld = withheld;
	hold_known(m, k);
}

static void on_submitted(struct sched_feed *m, const Armada__Record *r,
			 const Armada__JobSubmitted *s)
{
	struct known_job *k = add_job(m, s, r->wall_us);
	const Armada__IndexRange whole = ARMADA__INDEX_RANGE__INIT;

	if (s->waits && k->gang_cardinality)
		withhold_member(m, k, true);
	if (s->spec->hold)
		hold_job(m, s->id, true);
	for (size_t i = 0; i < s->spec->n_array; i++)
		add_range(m, k, s->spec->array[i], s->waits);
	if (!s->spec->n_array)
		add_range(m, k, &whole, s->waits);
}

/*
 * The member of the job that each rank belongs to. If a start left out some tasks, ranks are consecutive
 * without them within each group, so `groups` is needed to find the member.
 */
static uint32_t *members_of(struct sched_feed *m, const struct known_job *k, const uint32_t *groups,
			    size_t ranks)
{
	uint32_t *members = arena_alloc(m->arena, ranks * sizeof(*members));
	uint32_t group = 0, first = 0, next = 0;

	for (size_t i = 0; i < ranks; i++) {
		for (; k->replicas && group < groups[i]; group++) {
			first += k->replicas[group];
			next = first;
		}
		members[i] = k->replicas ? next++ : task_division_member(&k->division, (uint32_t)i);
	}
	return members;
}

/* The group of each rank. counts: the number of started tasks of each group; count 0: all tasks. */
static uint32_t *groups_of(struct sched_feed *m, const struct known_job *k, const uint32_t *counts,
			   size_t count, size_t ranks)
{
	uint32_t *groups = arena_zalloc(m->arena, ranks, sizeof(*groups));
	size_t rank = 0;

	for (uint32_t g = 0; k->replicas && g < k->group_count; g++)
		for (uint32_t n = count ? counts[g] : k->replicas[g]; n && rank < ranks; n--)
			groups[rank++] = g;
	return groups;
}

/* nodes and groups are by rank. */
static void run_element(struct sched_feed *m, struct known_job *k, uint32_t element,
			char *const *nodes, const uint32_t *groups, size_t n, int64_t start_us)
{
	const uint32_t *members = members_of(m, k, groups, n);
	const char **list = arena_zalloc(m->arena, k->members, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		if (members[i] < k->members)
			list[members[i]] = nodes[i];
	k->running++;
	sched_run(m->sched, k->id, element, list, start_us);
	restarts_leased(m, k, element, members, nodes, n);
}

static void on_leased(struct sched_feed *m, const Armada__Record *r, const Armada__ElementLeased *e)
{
	struct known_job *k = find_job(m, e->job);

	if (!k)
		return;
	run_element(m, k, e->element, e->nodes, groups_of(m, k, e->groups, e->n_groups, e->n_nodes),
		    e->n_nodes, r->wall_us);
	elastic_leased(m, k, e->element, e->extras, e->nodes, e->n_nodes);
	if (e->time_limit_s)
		sched_limit(m->sched, e->job, e->element, e->time_limit_s * 1000000);
	if (!e->lease_pending || gang_is_fewer(e->gang_members, k->gang_cardinality))
		sched_gang_begun(m->sched, k->id);
}

/* While elements run, the scheduler changes only a part of the description. The rest follows here. */
static void element_stopped(struct sched_feed *m, struct known_job *k)
{
	const Armada__JobSubmitted *sub;
	struct sched_job j;

	if (--k->running || !k->late.len)
		return;
	sub = msg_unpack_own(&armada__job_submitted__descriptor, k->late.data, k->late.len,
			     m->arena);
	note_shape(k, sub->spec);
	elastic_minimum(k);
	describe_job(m, sub, 0, &j);
	sched_job_change(m->sched, &j);
	if (k->avoid_count)
		avoids_again(m, k);
	buf_clear(&k->late);
}

static void on_ended(struct sched_feed *m, const Armada__ElementEnded *e)
{
	struct known_job *k = find_job(m, e->job);

	for (size_t i = 0; i < e->n_elements; i++) {
		const Armada__IndexRange *r = e->elements[i];

		if (k && e->attempt) {
			restarts_ended(m, k, r->first);
			elastic_ended(m, k, r->first);
		}
		if (e->attempt) {
			sched_displaced_for(m->sched, e->job, r->first, 0, 0);
			sched_end(m->sched, e->job, r->first);
			if (k)
				element_stopped(m, k);
		} else {
			sched_unwait(m->sched, e->job, r->first, r->last);
		}
		if (k)
			k->left -= (uint64_t)r->last - r->first + 1;
	}
	if (!k || k->left)
		return;
	sched_job_remove(m->sched, e->job);
	drop_job(m, k);
}

/* A preempted element gives up its room at once, although its tasks may still run. */
static void yield_element(struct sched_feed *m, uint64_t job, uint32_t element)
{
	struct known_job *k = find_job(m, job);

	for (uint32_t i = 0; k && i < k->members; i++)
		sched_member_yield(m->sched, job, element, i);
}

static void on_ending(struct sched_feed *m, const Armada__ElementEnding *e)
{
	struct known_job *k = find_job(m, e->job);

	if (k) {
		restarts_ending(m, k, e->element);
		elastic_ending(m, k, e->element, e->why == ARMADA__END_REASON__ENDING_PREEMPT);
	}
	if (e->for_job)
		sched_displaced_for(m->sched, e->job, e->element, e->for_job, e->for_element);
	if (e->why == ARMADA__END_REASON__ENDING_PREEMPT)
		yield_element(m, e->job, e->element);
	else
		sched_pin(m->sched, e->job, e->element, true);
}

/*
 * Pins an element that is being ended or whose node is silent: preempting it would not free its room sooner.
 */
static void on_unknown(struct sched_feed *m, const Armada__ElementUnknown *e)
{
	bool pinned = e->state == ARMADA__JOB_STATE__JOB_UNKNOWN ||
		      e->state == ARMADA__JOB_STATE__JOB_COMPLETING;
	struct known_job *k = find_job(m, e->job);

	sched_pin(m->sched, e->job, e->element, pinned);
	if (k)
		elastic_pin(m, k, e->element, pinned);
}

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

static void snap_elastic(struct sched_feed *m, struct known_job *k, const Armada__SnapElement *e)
{
	elastic_leased(m, k, e->index, e->extras, NULL, e->together);
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
	run_element(m, k, e->index, nodes, groups, together < e->n_tasks ? together : e->n_tasks,
		    start_us);
	if (e->time_limit_s)
		sched_limit(m->sched, k->id, e->index, e->time_limit_s * 1000000);
	snap_restarts(m, k, e);
	snap_elastic(m, k, e);
	if (e->yields)
		yield_element(m, k->id, e->index);
	sched_pin(m->sched, k->id, e->index,
		  e->state == ARMADA__JOB_STATE__JOB_UNKNOWN ||
			  e->state == ARMADA__JOB_STATE__JOB_COMPLETING);
}

static void change_job(struct sched_feed *m, struct known_job *k, Armada__JobSpec *spec)
{
	Armada__JobSubmitted sub = ARMADA__JOB_SUBMITTED__INIT;
	struct sched_job j;

	sub.id = k->id;
	sub.spec = spec;
	if (!elastic_runs(k))
		note_shape(k, spec);
	describe_job(m, &sub, 0, &j);
	sched_job_change(m->sched, &j);
	buf_clear(&k->late);
	if (k->running)
		msg_pack(&sub, &k->late);
	if (k->avoid_count)
		avoids_again(m, k);
	restarts_changed(m, k, &sub);
	elastic_changed(m, k, &sub);
}

static void on_snap_job(struct sched_feed *m, const Armada__Record *r, const Armada__SnapJob *s)
{
	const Armada__JobSubmitted *started = elastic_as_started(m, s);
	struct known_job *k = add_job(m, started, s->submit_us);

	avoids_are(m, k, s->avoids, s->n_avoids);
	if (s->held)
		hold_job(m, s->job->id, true);
	restart_job(m, s->job->id, s->next);
	for (size_t i = 0; i < s->n_waiting; i++)
		add_range(m, k, s->waiting[i], false);
	for (size_t i = 0; i < s->n_withheld && !k->gang_cardinality; i++)
		sched_unwait(m->sched, k->id, s->withheld[i]->first, s->withheld[i]->last);
	if (s->n_withheld && k->gang_cardinality)
		withhold_member(m, k, true);
	for (size_t i = 0; i < s->n_elements; i++) {
		if (s->elements[i]->ordered)
			sched_gang_begun(m->sched, k->id);
		if (s->elements[i]->not_before_us)
			sched_unwait(m->sched, k->id, s->elements[i]->index, s->elements[i]->index);
		if (s->elements[i]->n_tasks)
			snap_element(m, r, k, s->elements[i]);
	}
	if (started != s->job)
		change_job(m, k, s->job->spec);
}

static void on_requeued(struct sched_feed *m, const Armada__ElementRequeued *e)
{
	struct known_job *k = find_job(m, e->job);

	if (k) {
		restarts_ended(m, k, e->element);
		elastic_ended(m, k, e->element);
	}
	sched_end(m->sched, e->job, e->element);
	if (!e->not_before_us)
		sched_wait(m->sched, e->job, e->element, e->element, 1);
	if (k)
		element_stopped(m, k);
	if (e->for_job)
		sched_displaced_for(m->sched, e->job, e->element, e->for_job, e->for_element);
	if (k)
		avoids_more(m, k, e->avoid, e->n_avoid);
}

static void on_avoids(struct sched_feed *m, const Armada__JobAvoids *a)
{
	struct known_job *k = find_job(m, a->job);

	if (k)
		avoids_are(m, k, a->nodes, a->n_nodes);
}

/* The lease is not pending any more. The start time is this record's until the tasks report theirs. */
static void on_released(struct sched_feed *m, const Armada__Record *r,
			const Armada__ElementReleased *e)
{
	sched_gang_begun(m->sched, e->job);
	sched_started(m->sched, e->job, e->element, r->wall_us);
}

/* The last task has started: the time limit counts from the reported time, not from the lease. */
static void on_started(struct sched_feed *m, const Armada__TaskStarted *e)
{
	struct known_job *k = e->all ? find_job(m, e->key->job) : NULL;

	if (e->all && e->start_us)
		sched_started(m->sched, e->key->job, e->key->element, e->start_us);
	if (k)
		elastic_begun(m, k, e->key->element);
}

/* An event of one task. It matters only for jobs whose elements continue without some of their tasks. */
static void on_task(struct sched_feed *m, const Armada__Event *ev)
{
	const Armada__TaskKey *key =
		ev->kind_case == ARMADA__EVENT__KIND_TASK_ENDED     ? ev->task_ended->key
		: ev->kind_case == ARMADA__EVENT__KIND_TASK_VACATED ? ev->task_vacated->key
		: ev->kind_case == ARMADA__EVENT__KIND_TASK_LEAVING ? ev->task_leaving->key
								    : ev->task_leased->key;
	struct known_job *k = find_job(m, key->job);

	if (!k || !(k->restarts || k->elastic))
		return;
	if (ev->kind_case == ARMADA__EVENT__KIND_TASK_VACATED)
		avoids_more(m, k, ev->task_vacated->avoid, ev->task_vacated->n_avoid);
	if (ev->kind_case == ARMADA__EVENT__KIND_TASK_ENDED) {
		restarts_task_ended(m, k, key);
		elastic_task_ended(m, k, key, ev->task_ended->end);
	} else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_VACATED) {
		restarts_task_vacated(m, k, key, ev->task_vacated->replacement);
		elastic_task_vacated(m, k, key);
	} else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_LEAVING) {
		elastic_task_leaving(m, k, key);
	} else {
		restarts_task_leased(m, k, key, ev->task_leased->node);
		elastic_task_leased(m, k, ev->task_leased);
	}
}

static void on_eligible(struct sched_feed *m, const Armada__JobEligible *e)
{
	struct known_job *k = find_job(m, e->job);

	if (k && k->gang_cardinality)
		withhold_member(m, k, false);
	for (size_t i = 0; i < e->n_elements && k && !k->gang_cardinality; i++)
		sched_wait(m->sched, e->job, e->elements[i]->first, e->elements[i]->last, 1);
}

static void on_updated(struct sched_feed *m, const Armada__JobUpdated *e)
{
	struct known_job *k = find_job(m, e->job);

	if (!k)
		return;
	if (e->set_waits && k->gang_cardinality)
		withhold_member(m, k, e->waits != NULL);
	else if (e->set_waits && e->waits)
		sched_unwait(m->sched, e->job, 0, UINT32_MAX);
	restart_job(m, e->job, false);
	change_job(m, k, e->spec);
}

static void on_suspended(struct sched_feed *m, const Armada__ElementSuspended *e)
{
	struct known_job *k = find_job(m, e->job);

	if (k)
		elastic_suspended(m, k, e->element, e->suspended);
}

static void on_scaled(struct sched_feed *m, const Armada__ElementScaled *e)
{
	struct known_job *k = find_job(m, e->job);

	if (k)
		elastic_scaled(m, k, e->element, e->extras, e->n_extras);
}

static void apply(struct sched_feed *m, const Armada__Record *r, const Armada__Event *ev)
{
	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_JOB_SUBMITTED:
		on_submitted(m, r, ev->job_submitted);
		break;
	case ARMADA__EVENT__KIND_SNAP_JOB:
		on_snap_job(m, r, ev->snap_job);
		break;
	case ARMADA__EVENT__KIND_JOB_HELD:
		hold_job(m, ev->job_held->job, ev->job_held->held);
		break;
	case ARMADA__EVENT__KIND_JOB_ELIGIBLE:
		on_eligible(m, ev->job_eligible);
		break;
	case ARMADA__EVENT__KIND_JOB_UPDATED:
		on_updated(m, ev->job_updated);
		break;
	case ARMADA__EVENT__KIND_JOB_RESTARTING:
		restart_job(m, ev->job_restarting->job, true);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_LEASED:
		on_leased(m, r, ev->element_leased);
		break;
	case ARMADA__EVENT__KIND_TASK_STARTED:
		on_started(m, ev->task_started);
		break;
	case ARMADA__EVENT__KIND_TASK_ENDED:
	case ARMADA__EVENT__KIND_TASK_VACATED:
	case ARMADA__EVENT__KIND_TASK_LEASED:
	case ARMADA__EVENT__KIND_TASK_LEAVING:
		on_task(m, ev);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_SCALED:
		on_scaled(m, ev->element_scaled);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_ENDED:
		on_ended(m, ev->element_ended);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_ENDING:
		on_ending(m, ev->element_ending);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_UNKNOWN:
		on_unknown(m, ev->element_unknown);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_SUSPENDED:
		on_suspended(m, ev->element_suspended);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_REQUEUED:
		on_requeued(m, ev->element_requeued);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_DUE:
		sched_wait(m->sched, ev->element_due->job, ev->element_due->element,
			   ev->element_due->element, 1);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_RELEASED:
		on_released(m, r, ev->element_released);
		break;
	case ARMADA__EVENT__KIND_JOB_AVOIDS:
		on_avoids(m, ev->job_avoids);
		break;
	default:
		nodes_queues_apply(m, r, ev);
	}
}

/* Call after a record, or after all records of a snapshot: updates gangs and task replacements. */
static void settle(struct sched_feed *m)
{
	sched_gangs_settle(m->sched);
	restarts_settle(m);
	elastic_settle(m);
	arena_clear(m->arena);
}

static bool is_of_snapshot(const Armada__Record *r)
{
	int kind = r->n_events == 1 ? (int)r->events[0]->kind_case : 0;

	return kind >= ARMADA__EVENT__KIND_SNAP_HEAD || kind == ARMADA__EVENT__KIND_SNAP_WAITS ||
	       kind == ARMADA__EVENT__KIND_FLOATING_SET || kind == ARMADA__EVENT__KIND_BLOB_STORED;
}

void sched_feed_apply(struct sched_feed *m, const Armada__Record *record)
{
	bool snapshot = false;

	/*
	 * A snapshot describes one moment in many records. The clock must not advance before all of its
	 * running elements are known, or the usage histories would decay without them.
	 */
	if (!is_of_snapshot(record))
		sched_now(m->sched, record->wall_us);
	m->now_us = record->wall_us;
	for (size_t i = 0; i < record->n_events; i++) {
		snapshot |= record->events[i]->kind_case == ARMADA__EVENT__KIND_SNAP_JOB;
		apply(m, record, record->events[i]);
		arena_clear(m->arena);
	}
	if (!snapshot)
		settle(m);
}

int sched_feed_try(struct sched_feed *m, const Armada__Record *record,
		   const struct sched_round *round, struct sched_trial *ret_trial)
{
	int rc;

	for (size_t i = 0; i < record->n_events; i++)
		apply(m, record, record->events[i]);
	arena_clear(m->arena);
	rc = sched_trial_run(m->sched, round, ret_trial);
	sched_unwait(m->sched, SCHED_TRIAL_ID, 0, UINT32_MAX);
	sched_job_remove(m->sched, SCHED_TRIAL_ID);
	drop_job(m, find_job(m, SCHED_TRIAL_ID));
	for (size_t i = 0; i < record->n_events; i++)
		if (record->events[i]->kind_case == ARMADA__EVENT__KIND_QUEUE_SET)
			sched_queue_remove(m->sched, record->events[i]->queue_set->spec->name);
	return rc;
}

static void fill_record(void *arg, const Armada__Record *record)
{
	sched_feed_apply(arg, record);
}

void sched_feed_fill(struct sched_feed *m, const struct core *c)
{
	core_each_record(c, fill_record, m);
	settle(m);
}
