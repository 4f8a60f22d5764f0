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
#include "feed/elastic.h"
#include "feed/known_job.h"
#include "feed/nodes_queues.h"
#include "feed/snap_job.h"
#include "feed/task_replacement.h"
#include "sched/trial.h"
#include "sched/usage_history.h"
#include "util/mem.h"

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

void sched_feed_free(struct sched_feed *m)
{
	if (!m)
		return;
	while (m->jobs)
		known_job_drop(m, m->jobs);
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

static void on_submitted(struct sched_feed *m, const Armada__Record *r,
			 const Armada__JobSubmitted *s)
{
	struct known_job *k = known_job_add(m, s, r->wall_us);
	const Armada__IndexRange whole = ARMADA__INDEX_RANGE__INIT;

	if (s->waits && k->gang_cardinality)
		known_job_withhold(m, k, true);
	if (s->spec->hold)
		known_job_hold(m, s->id, true);
	for (size_t i = 0; i < s->spec->n_array; i++)
		known_job_wait(m, k, s->spec->array[i], s->waits);
	if (!s->spec->n_array)
		known_job_wait(m, k, &whole, s->waits);
}

static void on_leased(struct sched_feed *m, const Armada__Record *r, const Armada__ElementLeased *e)
{
	struct known_job *k = known_job_find(m, e->job);
	uint32_t *groups;

	if (!k)
		return;
	groups = known_job_groups(m, k, e->groups, e->n_groups, e->n_nodes);
	known_job_run(m, k, e->element, e->nodes, groups, e->n_nodes, r->wall_us);
	elastic_leased(m, k, e->element, e->extras, e->nodes, groups, e->n_nodes);
	if (e->time_limit_s)
		sched_limit(m->sched, e->job, e->element, e->time_limit_s * 1000000);
	if (!e->lease_pending || gang_is_fewer(e->gang_members, k->gang_cardinality))
		sched_gang_begun(m->sched, k->id);
}

static void on_ended(struct sched_feed *m, const Armada__ElementEnded *e)
{
	struct known_job *k = known_job_find(m, e->job);

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
				known_job_stopped(m, k);
		} else {
			sched_unwait(m->sched, e->job, r->first, r->last);
		}
		if (k)
			k->left -= (uint64_t)r->last - r->first + 1;
	}
	if (!k || k->left)
		return;
	sched_job_remove(m->sched, e->job);
	known_job_drop(m, k);
}

static void on_ending(struct sched_feed *m, const Armada__ElementEnding *e)
{
	struct known_job *k = known_job_find(m, e->job);

	if (k) {
		restarts_ending(m, k, e->element);
		elastic_ending(m, k, e->element, e->why == ARMADA__END_REASON__ENDING_PREEMPT);
	}
	if (e->for_job)
		sched_displaced_for(m->sched, e->job, e->element, e->for_job, e->for_element);
	if (e->why == ARMADA__END_REASON__ENDING_PREEMPT)
		known_job_yield(m, e->job, e->element);
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
	struct known_job *k = known_job_find(m, e->job);

	sched_pin(m->sched, e->job, e->element, pinned);
	if (k)
		elastic_pin(m, k, e->element, pinned);
}

static void on_requeued(struct sched_feed *m, const Armada__ElementRequeued *e)
{
	struct known_job *k = known_job_find(m, e->job);

	if (k) {
		restarts_ended(m, k, e->element);
		elastic_ended(m, k, e->element);
	}
	sched_end(m->sched, e->job, e->element);
	if (!e->not_before_us || (k && k->gang_cardinality))
		sched_wait(m->sched, e->job, e->element, e->element, 1);
	if (k && k->gang_cardinality)
		known_job_pause(m, k, e->element, e->not_before_us != 0);
	if (k)
		known_job_stopped(m, k);
	if (e->for_job)
		sched_displaced_for(m->sched, e->job, e->element, e->for_job, e->for_element);
	if (k)
		avoids_more(m, k, e->avoid, e->n_avoid);
}

static void on_due(struct sched_feed *m, const Armada__ElementDue *e)
{
	struct known_job *k = known_job_find(m, e->job);

	if (k)
		known_job_pause(m, k, e->element, false);
}

static void on_avoids(struct sched_feed *m, const Armada__JobAvoids *a)
{
	struct known_job *k = known_job_find(m, a->job);

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
	struct known_job *k = e->all ? known_job_find(m, e->key->job) : NULL;

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
	struct known_job *k = known_job_find(m, key->job);

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
	struct known_job *k = known_job_find(m, e->job);

	if (k && k->gang_cardinality)
		known_job_withhold(m, k, false);
	for (size_t i = 0; i < e->n_elements && k && !k->gang_cardinality; i++)
		sched_wait(m->sched, e->job, e->elements[i]->first, e->elements[i]->last, 1);
}

static void on_updated(struct sched_feed *m, const Armada__JobUpdated *e)
{
	struct known_job *k = known_job_find(m, e->job);

	if (!k)
		return;
	if (e->set_waits && k->gang_cardinality)
		known_job_withhold(m, k, e->waits != NULL);
	else if (e->set_waits && e->waits)
		sched_unwait(m->sched, e->job, 0, UINT32_MAX);
	known_job_restart(m, e->job, false);
	known_job_change(m, k, e->spec);
}

static void on_suspended(struct sched_feed *m, const Armada__ElementSuspended *e)
{
	struct known_job *k = known_job_find(m, e->job);

	if (k)
		elastic_suspended(m, k, e->element, e->suspended);
}

static void on_scaled(struct sched_feed *m, const Armada__ElementScaled *e)
{
	struct known_job *k = known_job_find(m, e->job);

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
		snap_job(m, r, ev->snap_job);
		break;
	case ARMADA__EVENT__KIND_JOB_HELD:
		known_job_hold(m, ev->job_held->job, ev->job_held->held);
		break;
	case ARMADA__EVENT__KIND_JOB_ELIGIBLE:
		on_eligible(m, ev->job_eligible);
		break;
	case ARMADA__EVENT__KIND_JOB_UPDATED:
		on_updated(m, ev->job_updated);
		break;
	case ARMADA__EVENT__KIND_JOB_RESTARTING:
		known_job_restart(m, ev->job_restarting->job, true);
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
		on_due(m, ev->element_due);
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
	known_job_drop(m, known_job_find(m, SCHED_TRIAL_ID));
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
