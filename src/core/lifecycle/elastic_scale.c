/*
 * Scales running elastic elements (elastic_scale.h).
 *
 * Input: the specification of the job, and the tasks of its elements. Output: ElementScaled for each running
 * element, TaskLeaving and kill orders. Caveat: an element that is being ended gets other extra
 * tasks, too, so that they always follow from the specification; none of its tasks is taken back.
 */
#include "core/lifecycle/elastic_scale.h"

#include "core/lifecycle/element.h"
#include "core/lifecycle/orders.h"
#include "core/lifecycle/task_failure_policy.h"
#include "core/state/extra.h"
#include "core/txn/emit.h"
#include "proto/group_minimum.h"
#include "util/plural.h"

#include <stdlib.h>

/* In the order in which extra tasks of a group are dropped. */
enum standing { STANDS_WAITING, STANDS_RUNNING, STANDS_ENDED };

struct candidate {
	enum standing standing;
	uint32_t place; /* its rank, or its number if it waits */
	uint32_t extra;
};

static bool is_scalable(const struct element *e)
{
	return e->extras && e->task_count;
}

static enum standing standing_of(const struct element *e, uint32_t extra)
{
	const struct task *t = extra_task(e, extra);

	if (extra_waits(e, extra))
		return STANDS_WAITING;
	return t && t->state != TASK_ENDED ? STANDS_RUNNING : STANDS_ENDED;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->standing != y->standing)
		return x->standing < y->standing ? -1 : 1;
	return x->place > y->place ? -1 : x->place < y->place;
}

/* The extra tasks of the group that are not dropped, those that go first first. */
static struct candidate *candidates_of(const struct element *e, uint32_t group, struct arena *a,
				       size_t *ret_count)
{
	struct candidate *list = arena_alloc(a, e->extras->count * sizeof(*list));

	*ret_count = 0;
	for (uint32_t i = 0; i < e->extras->count; i++) {
		const struct extra_slot *slot = &e->extras->slots[i];
		enum standing standing;

		if (slot->dropped || slot->group != group)
			continue;
		standing = standing_of(e, i);
		list[(*ret_count)++] = (struct candidate){
			standing, standing == STANDS_WAITING ? i : slot->rank, i};
	}
	qsort(list, *ret_count, sizeof(*list), compare_candidates);
	return list;
}

/* How many tasks that count would be taken back in the group. */
static uint32_t good_ones_dropped(const struct element *e, uint32_t group, uint32_t wanted,
				  struct arena *a)
{
	size_t count;
	const struct candidate *list = candidates_of(e, group, a, &count);
	uint32_t n = 0;

	for (size_t i = 0; i + wanted < count; i++) {
		const struct task *t = extra_task(e, list[i].extra);

		n += list[i].standing == STANDS_RUNNING && t->state == TASK_STARTED && !t->leaving;
	}
	return n;
}

/* The group of a job with a minimum for each group. dropped: good tasks that would be taken back. */
static int check_group_minimum(const struct element *e, uint32_t group, const Armada__JobSpec *to,
			       uint32_t dropped, struct err *err)
{
	const char *name = to->groups[group]->name;
	uint32_t least = group_minimum_of(to, group), first = extras_first_of(e, group);
	uint32_t good = task_failure_good_in(e, group) - dropped;

	if (least > first)
		return err_set(err, -EINVAL,
			       "group %s: %u of its tasks started together, and its minimum would "
			       "be %u; --restart would restart the job with it",
			       name, first, least);
	if (!e->why && dropped && good < least)
		return err_set(err, -EINVAL,
			       "group %s: the job would run on with %u %s of it, and its minimum "
			       "is %u",
			       name, good, plural(good, "task", "tasks"), least);
	return 0;
}

static int check_group(const struct element *e, uint32_t group, const Armada__TaskGroup *to,
		       struct err *err)
{
	uint32_t first = extras_first_of(e, group);

	if (to->replicas >= first)
		return 0;
	return err_set(err, -EINVAL,
		       "%s%s: %u %s together and %s while the job runs; --restart would restart it "
		       "whole",
		       to->name[0] ? "group " : "ntasks", to->name, first,
		       plural(first, "task started", "tasks started"),
		       plural(first, "stays", "stay"));
}

static int check_element(const struct element *e, const Armada__JobSpec *to, struct arena *a,
			 struct err *err)
{
	uint32_t good = task_failure_good_tasks(e);
	uint64_t most = e->extras->count;

	for (uint32_t g = 0; g < to->n_groups; g++) {
		uint32_t wanted = to->groups[g]->replicas - extras_first_of(e, g);
		uint32_t present = extras_asked_of(e, g), dropped;

		if (check_group(e, g, to->groups[g], err) < 0)
			return -EINVAL;
		dropped = good_ones_dropped(e, g, wanted, a);
		if (group_minima(to) && check_group_minimum(e, g, to, dropped, err) < 0)
			return -EINVAL;
		good -= dropped;
		most += wanted > present ? wanted - present : 0;
	}
	if (to->min_available > e->extras->first)
		return err_set(
			err, -EINVAL,
			"min-tasks: the job started with %u %s; --restart would restart it with "
			"a higher minimum",
			e->extras->first, plural(e->extras->first, "task", "tasks"));
	if (!e->why && good < to->min_available && good < task_failure_good_tasks(e))
		return err_set(err, -EINVAL,
			       "ntasks: the job would run on with %u %s, and its minimum is %u",
			       good, plural(good, "task", "tasks"), to->min_available);
	if (most >> EXTRA_BITS)
		return err_set(
			err, -EINVAL,
			"ntasks: the job was scaled too often; --restart would restart it whole");
	return 0;
}

int64_t elastic_scale_work(const struct job *j, const Armada__JobSpec *to)
{
	int64_t tasks = 0, work = 0;

	for (size_t g = 0; g < to->n_groups; g++)
		tasks += to->groups[g]->replicas;
	for (size_t i = 0; i < j->element_count; i++)
		if (is_scalable(j->elements[i]))
			work += j->elements[i]->extras->count + tasks;
	return work;
}

static int check_array(const struct job *j, const Armada__JobSpec *to, struct err *err)
{
	if (to->n_groups > 1 || to->min_available != j->spec->least)
		return err_set(err, -EINVAL,
			       "%s: elements of the array run, and all start with the same tasks; "
			       "--restart would restart them",
			       to->n_groups > 1 ? "group" : "min-tasks");
	if (elastic_scale_work(j, to) > ARRAY_AT_ONCE)
		return err_set(err, -EINVAL,
			       "ntasks: %u elements of the array run; an update changes at most %d "
			       "tasks of all of them together",
			       running_elements(j), ARRAY_AT_ONCE);
	return 0;
}

int elastic_scale_check(const struct job *j, const Armada__JobSpec *to, struct err *err)
{
	struct arena *a CLEANUP_ARENA = arena_new(0);
	int rc = j->spec->array ? check_array(j, to, err) : 0;

	for (size_t i = 0; rc == 0 && i < j->element_count; i++)
		if (is_scalable(j->elements[i]))
			rc = check_element(j->elements[i], to, a, err);
	return rc;
}

/* True if the dropped task runs, or could run again: it has not ended for good. */
static bool may_be_taken_up(const struct task *t, bool runs)
{
	if (t && t->state != TASK_ENDED)
		return runs;
	return !runs && (!t || t->vacant);
}

/* Takes up dropped extra tasks of the group, those that still run first. Returns how many are missing. */
static uint32_t take_up(const struct element *e, uint32_t group, uint32_t missing, uint32_t *list)
{
	for (int runs = 1; runs >= 0; runs--)
		for (uint32_t i = 0; i < e->extras->count && missing; i++) {
			if (list[i] != 2 * group + 1 || !may_be_taken_up(extra_task(e, i), runs))
				continue;
			list[i]--;
			missing--;
		}
	return missing;
}

/* The list of ElementScaled for the specification of the job. */
static uint32_t *fit(const struct element *e, struct arena *a, size_t *ret_count)
{
	const struct spec *s = e->job->spec;
	uint32_t *old = extras_list(e, a);
	uint32_t *list = arena_alloc(a, (e->extras->count + s->tasks) * sizeof(*list));
	size_t n = e->extras->count;

	for (size_t i = 0; i < n; i++)
		list[i] = old[i];
	for (uint32_t g = 0; g < s->group_count; g++) {
		uint32_t all = s->groups ? s->groups[g].replicas : s->tasks;
		uint32_t wanted = all - extras_first_of(e, g), missing;
		size_t count;
		const struct candidate *c = candidates_of(e, g, a, &count);

		for (size_t i = 0; i + wanted < count; i++)
			list[c[i].extra]++;
		missing = wanted > count ? take_up(e, g, wanted - (uint32_t)count, list) : 0;
		for (; missing; missing--)
			list[n++] = 2 * g;
	}
	*ret_count = n;
	return list;
}

static void scale(struct txn *txn, const struct element *e)
{
	Armada__ElementScaled *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_SCALED, &m);

	m->job = e->job->id;
	m->element = e->index;
	m->extras = fit(e, txn->arena, &m->n_extras);
	emit_event(txn, ev);
	txn->wants_round = true;
}

/* Takes back a dropped task that runs, unless this is done or not possible now. True: it was. */
static bool take_back(struct txn *txn, const struct task *t)
{
	const struct element *e = t->element;
	Armada__TaskLeaving *m;
	Armada__Event *ev;

	/* the tasks of a silent node obey no order */
	if (!extra_is_dropped(t) || t->leaving || t->state == TASK_ENDED || e->why ||
	    e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		return false;
	ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_LEAVING, &m);
	m->key = task_key_message(t, t->attempt, txn->arena);
	m->text = (char *)"the job was scaled down";
	emit_event(txn, ev);
	order_kill_task(txn, t, ARMADA__END_CAUSE__END_PREEMPTED);
	return true;
}

void elastic_scale_go_on(struct txn *txn, const struct node *n)
{
	uint32_t left = LEAVING_AT_ONCE;
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node)
		if (left)
			left -= take_back(txn, t);
}

void elastic_scale(struct txn *txn, uint64_t job)
{
	const struct job *j = job_find(txn->state, job);
	uint32_t left = LEAVING_AT_ONCE;

	for (size_t i = 0; i < j->element_count; i++)
		if (is_scalable(j->elements[i]))
			scale(txn, j->elements[i]);
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		for (uint32_t k = 0; e->extras && k < e->task_count && left; k++)
			left -= take_back(txn, &e->tasks[k]);
	}
	/* one may have waited only for a task that is dropped; the last one ends the job */
	for (size_t i = j->element_count; i-- > 0;) {
		if (is_scalable(j->elements[i]) && !j->elements[i]->lease_pending)
			element_conclude_if_over(txn, j->elements[i]);
		if (!(j = job_find(txn->state, job)))
			return;
	}
}
