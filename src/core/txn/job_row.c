/*
 * Rows of jobs and elements for listings and for the history.
 *
 * Input: a job, and an element or NULL for the waiting part. Output: a JobRow, a WaitJobReply or a
 * ShowJobReply in an arena. Caveats: the rows borrow from the state, so they must be packed within
 * the same input. job_row_fill() does not set the indexes of the waiting elements and the reason
 * why they wait; core/view/job_rows.c does. Sums of resources stop at INT64_MAX.
 */
#include "core/txn/job_row.h"

#include "core/state/dependents.h"
#include "core/state/extra.h"
#include "core/txn/effects.h"
#include "core/txn/task_resources.h"
#include "proto/failure_rule.h"
#include "proto/group_minimum.h"

#include <string.h>

/* True if the task is one of the job's: it has not left an elastic job that asks for fewer tasks now. */
static bool belongs(const struct task *t)
{
	return !t->vacant || !extra_is_dropped(t);
}

/* The number of tasks of all groups that have had a node. */
static uint32_t placed_tasks(const struct job *j, const struct element *e)
{
	uint32_t n = 0;

	if (!e || !e->task_count)
		return j->spec->tasks;
	for (uint32_t i = 0; i < e->task_count; i++)
		n += belongs(&e->tasks[i]);
	return n;
}

static uint32_t tasks_of(const struct job *j, const struct element *e, size_t group)
{
	uint32_t n = 0;

	if (!j->spec->groups)
		return placed_tasks(j, e);
	if (!e || !e->task_count)
		return j->spec->groups[group].replicas;
	for (uint32_t i = 0; i < e->task_count; i++)
		n += e->tasks[i].group == group && belongs(&e->tasks[i]);
	return n;
}

static Armada__Resource *resource_in(Armada__Resource **list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	return NULL;
}

/* The sum of the requests of all tasks, and the licenses. */
static Armada__Resource **sum_resources(const struct job *j, const struct element *e,
					const Armada__JobSpec *spec, struct arena *a,
					size_t *ret_count)
{
	Armada__Resource **list;
	size_t n = 0;

	for (size_t i = 0; i < spec->n_groups; i++)
		n += spec->groups[i]->n_resources;
	list = arena_alloc(a, (n + spec->n_licenses) * sizeof(*list));
	n = 0;
	for (size_t i = 0; i < spec->n_groups; i++) {
		const Armada__TaskGroup *g = spec->groups[i];
		int64_t tasks = tasks_of(j, e, i), more;

		for (size_t r = 0; r < g->n_resources; r++) {
			Armada__Resource *sum = resource_in(list, n, g->resources[r]->name);

			if (!sum) {
				sum = list[n++] = arena_alloc(a, sizeof(*sum));
				*sum = *g->resources[r];
				sum->amount = 0;
			}
			if (__builtin_mul_overflow(g->resources[r]->amount, tasks, &more) ||
			    __builtin_add_overflow(sum->amount, more, &sum->amount))
				sum->amount = INT64_MAX;
		}
	}
	for (size_t i = 0; i < spec->n_licenses; i++)
		list[n++] = spec->licenses[i];
	*ret_count = n;
	return list;
}

/* The memory of the nodes of the element. */
static void set_whole_memory(const struct element *e, Armada__JobRow *row)
{
	Armada__Resource *sum = resource_in(row->resources, row->n_resources, "memory");

	if (sum)
		sum->amount = task_resources_memory(e);
}

/* True if the task was ended because the tasks that it served had ended. */
static bool has_served(const struct task *t)
{
	uint8_t why = t->element->why;

	return t->cause == ARMADA__END_CAUSE__END_GANG &&
	       (why == ARMADA__END_REASON__ENDING_FIRST || why == ARMADA__END_REASON__ENDING_DONE);
}

static void count_task(const struct txn *txn, const struct task *t, Armada__GroupCount *g)
{
	if (!belongs(t) || (t->vacant && t->element->why))
		return; /* it does not start again, as with the tasks that never joined */
	if (t->replacement || t->vacant)
		g->pending++;
	else if (t->state != TASK_ENDED && live_node_is_silent(txn->live, t->node))
		g->unknown++;
	else if (t->state != TASK_ENDED)
		g->running++;
	else if ((t->cause == ARMADA__END_CAUSE__END_EXITED && !t->exit_code) || has_served(t))
		g->succeeded++;
	else
		g->failed++;
}

/* True if the row names the ranks that run: there may be others. */
static bool names_ranks(const struct element *e)
{
	if (!e || e->state != ARMADA__JOB_STATE__JOB_RUNNING)
		return false;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (!task_takes_steps(&e->tasks[i]))
			return true;
	return e->extras != NULL;
}

/* The ranks of the tasks of the group that run. */
static void fill_ranks(const struct element *e, uint32_t group, struct arena *a,
		       Armada__GroupCount *g)
{
	Armada__IndexRange *last = NULL;

	g->ranks = arena_alloc(a, e->task_count * sizeof(*g->ranks));
	for (uint32_t i = 0; i < e->task_count; i++) {
		if (e->tasks[i].group != group || !task_takes_steps(&e->tasks[i]))
			continue;
		if (last && last->last + 1 == i) {
			last->last = i;
			continue;
		}
		last = g->ranks[g->n_ranks++] = arena_alloc(a, sizeof(*last));
		armada__index_range__init(last);
		last->first = last->last = i;
		last->step = 1;
	}
}

/* The states of the tasks of each group. A job with one task needs none: its state is enough. */
static void fill_groups(const struct txn *txn, const struct job *j, const struct element *e,
			const Armada__JobSpec *spec, struct arena *a, Armada__JobRow *row)
{
	Armada__GroupCount *each;

	if (j->spec->tasks < 2)
		return;
	each = arena_zalloc(a, spec->n_groups, sizeof(*each));
	row->groups = arena_alloc(a, spec->n_groups * sizeof(*row->groups));
	row->n_groups = spec->n_groups;
	for (size_t i = 0; i < spec->n_groups; i++) {
		row->groups[i] = &each[i];
		armada__group_count__init(&each[i]);
		each[i].name = spec->groups[i]->name;
		each[i].replicas = spec->groups[i]->replicas;
		each[i].on_task_failure = failure_rule_of(spec, i);
		each[i].min_available = group_minimum_of(spec, i);
		each[i].pending = e && e->task_count ? 0 : each[i].replicas;
	}
	for (uint32_t i = 0; e && i < e->task_count; i++)
		count_task(txn, &e->tasks[i], &each[e->tasks[i].group]);
	for (uint32_t i = 0; e && e->extras && !e->why && i < e->extras->count; i++)
		if (!extra_task(e, i) && extra_waits(e, i))
			each[extra_group(e, i)].pending++;
	for (uint32_t i = 0; names_ranks(e) && i < spec->n_groups; i++)
		fill_ranks(e, i, a, &each[i]);
	row->min_available = j->spec->least;
	row->on_task_failure = spec->on_task_failure;
}

static void fill_spec(const struct txn *txn, const struct job *j, const struct element *e,
		      struct arena *a, Armada__JobRow *row)
{
	const Armada__JobSpec *spec = spec_open(txn, j->spec, a);

	row->name = spec->name;
	row->queue = spec->queue;
	row->job_set = spec->job_set;
	row->account = spec->account;
	row->labels = spec->labels;
	row->n_labels = spec->n_labels;
	row->priority = spec->priority;
	row->priority_class = spec->priority_class;
	row->tasks = placed_tasks(j, e);
	row->resources = sum_resources(j, e, spec, a, &row->n_resources);
	if (spec->whole_memory && e && e->task_count)
		set_whole_memory(e, row);
	fill_groups(txn, j, e, spec, a, row);
	row->time_limit_s = e && e->task_count ? element_limit_s(e, spec) : spec->time_limit_s;
	row->deadline_us = spec->deadline_us;
	row->time_min_s = spec->time_min_s;
	row->scavenge = spec->scavenge;
	row->chdir = spec->chdir;
	row->output = spec->output;
	row->error = spec->error;
	row->submit_host = spec->submit_host;
	row->cpus_per_task_milli = j->spec->request.amount[0];
	row->gang_id = spec->gang_id;
	row->gang_cardinality = spec->gang_cardinality;
}

static void at_least(int64_t *most, int64_t n)
{
	if (*most < n)
		*most = n;
}

/* What the task has used in this attempt; false: its node has not reported it. */
static bool task_used(const struct txn *txn, const struct task *t, struct task_usage *ret)
{
	const struct task_live *live;

	if (t->state != TASK_ENDED) {
		live = live_task(txn->live, t);
		*ret = live->usage;
		return live->usage_known;
	}
	*ret = t->usage;
	return true;
}

Armada__Usage *job_row_usage(const struct txn *txn, const struct element *e, struct arena *a)
{
	Armada__Usage *u = arena_alloc(a, sizeof(*u));
	struct task_usage used, sum = e->earlier;

	armada__usage__init(u);
	for (uint32_t i = 0; i < e->task_count; i++) {
		if (!task_used(txn, &e->tasks[i], &used))
			return NULL;
		usage_add(&sum, &used);
	}
	usage_put(&sum, u);
	return u;
}

void job_row_times(const struct txn *txn, const struct element *e, int64_t *ret_start_us,
		   int64_t *ret_end_us)
{
	*ret_start_us = e->start_us;
	*ret_end_us = 0;
	for (uint32_t i = 0; i < e->task_count; i++) {
		if (!*ret_start_us)
			*ret_start_us = e->tasks[i].start_us;
		at_least(ret_end_us, e->tasks[i].end_us);
	}
	if (!*ret_end_us)
		*ret_end_us = txn->clock_us;
}

static void fill_element(const struct txn *txn, const struct element *e, struct arena *a,
			 Armada__JobRow *row)
{
	row->elements = range_of_one(e->index, 0, a);
	row->n_elements = 1;
	row->count = 1;
	row->state = element_shown_state(e);
	row->attempt = e->attempt;
	row->start_us = e->start_us;
	row->nodes = arena_alloc(a, (e->task_count + 1) * sizeof(*row->nodes));
	for (uint32_t i = 0; i < e->task_count; i++)
		row->nodes[row->n_nodes++] = e->tasks[i].node->name;
	row->usage = job_row_usage(txn, e, a);
}

/*
 * An array as a whole has no element. The element of another job may exist from an earlier attempt.
 */
const struct element *job_row_element(const struct job *j, const struct element *e)
{
	return e || j->spec->array ? e : element_find(j, 0);
}

/*
 * From when on it waited for room only. An array has one such time for all elements, so it may be later than
 * the start of one.
 */
static int64_t eligible_us(const struct job *j, const struct element *e)
{
	int64_t at_us = j->eligible_us ? j->eligible_us : j->submit_clock_us;

	if (e && e->requeued_us > at_us)
		at_us = e->requeued_us;
	if (e && e->task_count)
		return e->start_us && e->start_us < at_us ? e->start_us : at_us;
	return j->held || (j->depend && job_withheld(j)) ? 0 : at_us;
}

void job_row_fill(const struct txn *txn, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *row)
{
	e = job_row_element(j, e);
	armada__job_row__init(row);
	fill_spec(txn, j, e, a, row);
	row->job = j->id;
	row->is_array = j->spec->array;
	row->user = j->user->name;
	row->uid = j->user->uid;
	row->gid = j->user->gid;
	row->submit_us = j->submit_clock_us;
	row->held = j->held;
	row->eligible_us = eligible_us(j, e);
	if (e && e->before)
		row->last_end = e->before;
	if (e && e->task_count) {
		fill_element(txn, e, a, row);
		return;
	}
	row->state = ARMADA__JOB_STATE__JOB_PENDING;
	row->least_nodes =
		j->spec->distinct ? (j->spec->least - j->spec->larger) / j->spec->per_member : 1;
	if (e)
		row->attempt = e->attempt;
}

void job_row_end(const struct job *j, Armada__WaitJobReply *reply)
{
	armada__wait_job_reply__init(reply);
	reply->job = j->id;
	reply->state = j->worst;
	reply->exit_code = j->exit_code;
	reply->exit_signal = j->exit_signal;
	reply->reason = j->end_reason ? j->end_reason : (char *)"";
}

/* The spec as submitted, with the dependencies that the job still has. */
static Armada__JobSpec *detail_spec(const struct txn *txn, const struct job *j, struct arena *a)
{
	const Armada__JobSpec *spec = spec_open(txn, j->spec, a);
	const Armada__JobWaits *w = waits_of(j, a);
	Armada__JobSpec *with;

	if (!w)
		return (Armada__JobSpec *)spec;
	with = arena_memdup(a, spec, sizeof(*spec));
	with->dependencies = w->dependencies;
	with->n_dependencies = w->n_dependencies;
	with->dependency_any = w->any;
	with->keep_invalid_dependency = w->keep;
	with->begin_us = w->begin_us;
	return with;
}

void job_row_detail(const struct txn *txn, const struct job *j, struct arena *a,
		    Armada__ShowJobReply *reply)
{
	armada__show_job_reply__init(reply);
	reply->spec = detail_spec(txn, j, a);
	reply->uid = j->user->uid;
	reply->gid = j->user->gid;
	reply->user = j->user->name;
	reply->submit_us = j->submit_clock_us;
	reply->waiting = j->waiting.total;
	reply->ended = job_ends(j, a, &reply->n_ended);
}
