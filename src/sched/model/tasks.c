/*
 * Running elements: their use of nodes, queue and user, and the times at which they release their
 * room.
 *
 * Input: the calls of sched.h about running elements. A member counts from when it has a node until
 * it ends or yields. A member that yields still counts under limits until its element ends
 * (`yielded_use`).
 */
#include "sched/model/tasks.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <string.h>

struct element {
	uint32_t job, element;
};

static bool same_task(const void *arg, uint32_t task, const void *what)
{
	const struct task *t = &((const struct model *)arg)->tasks.list[task];
	const struct element *e = what;

	return t->job == e->job && t->element == e->element;
}

static uint32_t hash_element(struct element e)
{
	return hash_u64((uint64_t)e.job << 32 | e.element);
}

/* NULL: it does not run. */
static struct task *task_of(struct model *m, uint64_t id, uint32_t element)
{
	struct element e = {jobs_with_id(m, id), element};
	uint32_t at =
		e.job == NIL ? NIL : map_find(&m->tasks.map, hash_element(e), same_task, m, &e);

	return at == NIL ? NULL : &m->tasks.list[at];
}

uint32_t tasks_of_element(const struct model *m, uint64_t job, uint32_t element)
{
	struct element e = {gang_jobs_whole(m, jobs_with_id(m, job)), element};

	return e.job == NIL ? NIL : map_find(&m->tasks.map, hash_element(e), same_task, m, &e);
}

/* NULL: the job is not in a gang. */
static struct gang_member *member_of(struct model *m, uint64_t id)
{
	return jobs_member(m, jobs_with_id(m, id));
}

static uint32_t task_place(struct model *m)
{
	uint32_t task = TABLE_PLACE(&m->tasks, job);

	running_list_place(m, task);
	return task;
}

/* The highest level at which a member counts on its node. */
static uint32_t task_cutoff(const struct model *m, const struct task *t, uint32_t part)
{
	return t->pinned ? m->levels.count : job_shape_cutoff(m, jobs_shape(m, t->job), part);
}

/* The longest time for which its resources are taken; 0: unlimited. */
static int64_t lasts_us(const struct model *m, const struct task *t)
{
	const struct job *j = &m->jobs.list[t->job];

	return t->limit_s ? jobs_lasts_with(j, t->limit_s * INT64_C(1000000)) : j->lasts_us;
}

/* Add (1) or remove (-1) the latest end of the member in the release times of its node. */
static void change_release(struct model *m, const struct task *t, uint32_t part, uint32_t node,
			   int sign)
{
	const struct job *j = &m->jobs.list[t->job];
	uint32_t task = (uint32_t)(t - m->tasks.list);

	if (!lasts_us(m, t))
		return;
	if (sign > 0)
		release_times_add(
			m, node,
			&(struct release_time){
				.at_us = amounts_add(t->start_us, lasts_us(m, t)),
				.task = task,
				.part = part,
				.firm = t->pinned ||
					!m->shapes.list[m->subqueues.list[j->subqueue].shape]
						 .urgent});
	else
		release_times_remove(m, node, task, part);
}

static void change_releases(struct model *m, const struct task *t, int sign)
{
	const uint32_t *nodes = tasks_nodes(t);
	uint32_t shape = jobs_shape(m, t->job);

	for (uint32_t i = 0; i < t->count; i++)
		if (nodes[i] != NIL)
			change_release(m, t, job_shape_part_of(m, shape, i), nodes[i], sign);
}

/* Add (1) or subtract (-1) a member's use of its node and queue. */
static void count_member(struct model *m, const struct task *t, uint32_t member, int sign)
{
	const struct subqueue *l = &m->subqueues.list[m->jobs.list[t->job].subqueue];
	uint32_t node = tasks_nodes(t)[member];
	uint32_t part = job_shape_part_of(m, l->shape, member), class = m->shapes.list[part].class;
	const int64_t *request = job_shape_request(m, part);
	struct queue *q = &m->queues.list[l->queue];

	if (node == NIL)
		return;
	m->changes++;
	usage_history_lapse(m, q);
	for (size_t r = 0; r < m->dims; r++) {
		q->allocated[r] += sign * request[r];
		q->used[class * m->dims + r] += sign * request[r];
	}
	users_spend(m, t->job, request, sign);
	nodes_use(m, node, part, task_cutoff(m, t, part), sign);
	change_release(m, t, part, node, sign);
	nodes_count(m, node);
	if (sign < 0)
		nodes_grown(m, node);
}

static void count_task(struct model *m, const struct task *t, int sign)
{
	const uint32_t *nodes = tasks_nodes(t);

	m->queues.list[m->subqueues.list[m->jobs.list[t->job].subqueue].queue].tasks +=
		(uint32_t)sign;
	users_count(m, t->job, (int64_t)sign * t->elements);
	for (uint32_t i = 0; i < t->count; i++)
		count_member(m, t, i, sign);
	for (uint32_t i = 0; sign < 0 && i < t->count; i++)
		if (nodes[i] != NIL)
			nodes_release(m, nodes[i]);
}

struct task *tasks_open(struct model *m, uint32_t job, uint32_t element, int64_t start_us)
{
	uint32_t at = task_place(m);
	struct task *t = &m->tasks.list[at];

	GROW(m->tasks.born, m->tasks.born_cap, at + (size_t)1);
	m->tasks.born[at] = ++m->tasks.opened;
	*t = (struct task){.job = job, .element = element, .one = NIL, .start_us = start_us};
	t->subqueue = m->jobs.list[job].subqueue;
	t->count = m->shapes.list[m->subqueues.list[t->subqueue].shape].members;
	t->elements = m->subqueues.list[t->subqueue].elements;
	if (t->count > 1)
		t->many = xreallocarray(NULL, t->count, sizeof(*t->many));
	memset(tasks_nodes(t), 0xff, t->count * sizeof(*t->many));
	return t;
}

void tasks_begin(struct model *m, struct task *t)
{
	uint32_t at = (uint32_t)(t - m->tasks.list);

	map_add(&m->tasks.map, hash_element((struct element){t->job, t->element}), at);
	count_task(m, t, 1);
	floating_take(m, t);
	running_list_add(m, at);
	jobs_unwait(m, t->job, t->element, t->element);
	m->jobs.list[t->job].running++;
	m->jobs.list[t->job].reason = 0;
	jobs_settle(m, t->job);
}

void sched_run(struct sched *s, uint64_t id, uint32_t element, const char *const *nodes,
	       int64_t start_us)
{
	struct model *m = model_of(s);
	struct element e = {jobs_with_id(m, id), element};
	struct gang_member *member = member_of(m, id);
	struct task *t;

	if (e.job == NIL || map_find(&m->tasks.map, hash_element(e), same_task, s, &e) != NIL)
		return;
	if (member) {
		gang_jobs_run(m, member, nodes, start_us);
		return;
	}
	t = tasks_open(m, e.job, element, start_us);
	for (uint32_t i = 0; i < t->count; i++)
		if (nodes[i])
			tasks_nodes(t)[i] = nodes_intern(m, nodes[i]);
	tasks_begin(m, t);
}

/*
 * Subtract (-1) all running elements of the job from the use of their nodes and of their queue, or
 * add (1) them again after the job moved to another subqueue of the same queue.
 */
static void count_again(struct model *m, uint32_t job, int sign)
{
	for (uint32_t at = 0; m->jobs.list[job].running && at < m->tasks.count; at++) {
		struct task *t = &m->tasks.list[at];

		if (!t->count || t->job != job)
			continue;
		if (sign < 0)
			running_list_drop(m, at);
		t->subqueue = m->jobs.list[job].subqueue;
		for (uint32_t i = 0; i < t->count; i++)
			count_member(m, t, i, sign);
		if (sign > 0)
			running_list_add(m, at);
	}
}

void tasks_change_subqueue(struct model *m, uint32_t job, uint32_t subqueue)
{
	count_again(m, job, -1);
	m->jobs.list[job].subqueue = subqueue;
	count_again(m, job, 1);
}

void tasks_count_for_user(struct model *m, uint32_t user, int sign)
{
	for (size_t at = 0; at < m->tasks.count; at++) {
		struct task *t = &m->tasks.list[at];
		const uint32_t *nodes = tasks_nodes(t);

		if (!t->count || users_of_job(m, t->job) != user)
			continue;
		t->subqueue = m->jobs.list[t->job].subqueue;
		for (uint32_t i = 0; i < t->count; i++) {
			uint32_t part = job_shape_part_of(m, jobs_shape(m, t->job), i);

			if (nodes[i] == NIL)
				continue;
			nodes_use(m, nodes[i], part, task_cutoff(m, t, part), sign);
			change_release(m, t, part, nodes[i], sign);
		}
	}
}

void tasks_change_times(struct model *m, uint32_t job, const struct sched_job *in)
{
	struct job *j = &m->jobs.list[job];
	int64_t new_us = jobs_time_taken(in), old_us = j->lasts_us;

	j->grace_ms = jobs_grace_ms(in);
	j->least_s = jobs_least_s(in);
	for (size_t at = 0; new_us != old_us && at < m->tasks.count; at++) {
		struct task *t = &m->tasks.list[at];

		if (!t->count || t->job != job)
			continue;
		j->lasts_us = old_us;
		change_releases(m, t, -1);
		j->lasts_us = new_us;
		t->limit_s = 0;
		change_releases(m, t, 1);
	}
	j->lasts_us = new_us;
	m->changes++;
}

/* Add (1) or subtract (-1) the task at the levels of its nodes. */
static void count_at_levels(struct model *m, const struct task *t, int sign)
{
	const uint32_t *nodes = tasks_nodes(t);

	m->changes++;
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t part = job_shape_part_of(m, jobs_shape(m, t->job), i);

		if (nodes[i] == NIL)
			continue;
		priority_level_use(m, nodes[i], part, task_cutoff(m, t, part), sign);
		if (sign < 0)
			continue;
		/* Update the release times: `firm` depends on the levels and on pinned. */
		change_release(m, t, part, nodes[i], -1);
		change_release(m, t, part, nodes[i], 1);
	}
}

void tasks_count_at_levels(struct model *m)
{
	for (size_t i = 0; i < m->tasks.count; i++)
		if (m->tasks.list[i].count)
			count_at_levels(m, &m->tasks.list[i], 1);
}

void tasks_limit(struct model *m, struct task *t, int64_t limit_us)
{
	change_releases(m, t, -1);
	t->limit_s = (uint32_t)(limit_us / 1000000) & (UINT32_MAX / 2);
	change_releases(m, t, 1);
	m->changes++;
}

void sched_limit(struct sched *s, uint64_t job, uint32_t element, int64_t limit_us)
{
	struct model *m = model_of(s);
	uint32_t at = tasks_of_element(m, job, element);

	if (at != NIL && limit_us >= 1000000)
		tasks_limit(m, &m->tasks.list[at], limit_us);
}

void tasks_pin(struct model *m, struct task *t, bool pinned)
{
	if (t->pinned == pinned)
		return;
	count_at_levels(m, t, -1);
	t->pinned = pinned;
	count_at_levels(m, t, 1);
}

void sched_pin(struct sched *s, uint64_t id, uint32_t element, bool pinned)
{
	struct model *m = model_of(s);
	struct gang_member *member = member_of(m, id);
	struct task *t = task_of(m, id, element);

	if (member)
		gang_jobs_pin(m, member, pinned);
	else if (t)
		tasks_pin(m, t, pinned);
}

void tasks_started(struct model *m, struct task *t, int64_t start_us)
{
	if (t->start_us == start_us)
		return;
	change_releases(m, t, -1);
	running_list_drop(m, (uint32_t)(t - m->tasks.list));
	t->start_us = start_us;
	running_list_add(m, (uint32_t)(t - m->tasks.list)); /* the list is sorted by the start */
	change_releases(m, t, 1);
	m->changes++;
}

void sched_started(struct sched *s, uint64_t id, uint32_t element, int64_t start_us)
{
	struct model *m = model_of(s);
	struct gang_member *member = member_of(m, id);
	struct task *t = task_of(m, id, element);

	if (member)
		gang_jobs_started(m, member, start_us);
	else if (t)
		tasks_started(m, t, start_us);
}

void tasks_end_member(struct model *m, struct task *t, uint32_t member)
{
	uint32_t node = tasks_nodes(t)[member];

	count_member(m, t, member, -1);
	tasks_nodes(t)[member] = NIL;
	if (node != NIL)
		nodes_release(m, node);
}

void sched_member_end(struct sched *s, uint64_t id, uint32_t element, uint32_t member)
{
	struct task *t = task_of(model_of(s), id, element);

	if (t && member < t->count)
		tasks_end_member(model_of(s), t, member);
}

/* A member yields: its use still counts under limits until its element ends. */
static void keep_use(struct model *m, struct task *t, const int64_t *request)
{
	if (!t->yielded_use)
		t->yielded_use = xcalloc(m->dims, sizeof(*t->yielded_use));
	for (size_t r = 0; r < m->dims; r++)
		t->yielded_use[r] += request[r];
	users_spend(m, t->job, request, 1);
}

void tasks_yield_member(struct model *m, struct task *t, uint32_t member)
{
	uint32_t part = job_shape_part_of(m, m->subqueues.list[t->subqueue].shape, member);

	if (tasks_nodes(t)[member] == NIL)
		return;
	keep_use(m, t, job_shape_request(m, part));
	tasks_end_member(m, t, member);
}

void sched_member_yield(struct sched *s, uint64_t id, uint32_t element, uint32_t member)
{
	struct model *m = model_of(s);
	struct gang_member *of_gang = member_of(m, id);
	struct task *t = task_of(m, id, element);

	if (of_gang)
		gang_jobs_yield(m, of_gang, member);
	else if (t && member < t->count)
		tasks_yield_member(m, t, member);
}

void tasks_set_elements(struct model *m, struct task *t, uint32_t elements)
{
	users_count(m, t->job, (int64_t)elements - t->elements);
	t->elements = elements;
}

void sched_elements_left(struct sched *s, uint64_t id, uint32_t element, uint32_t elements)
{
	struct task *t = task_of(model_of(s), id, element);

	if (t)
		tasks_set_elements(model_of(s), t, elements);
}

void sched_member_run(struct sched *s, uint64_t id, uint32_t element, uint32_t member,
		      const char *node)
{
	struct model *m = model_of(s);
	struct task *t = task_of(m, id, element);

	if (!t || member >= t->count || tasks_nodes(t)[member] != NIL)
		return;
	tasks_nodes(t)[member] = nodes_intern(m, node);
	count_member(m, t, member, 1);
}

void tasks_end(struct model *m, struct task *t)
{
	uint32_t job = t->job, at = (uint32_t)(t - m->tasks.list);

	map_remove(&m->tasks.map, hash_element((struct element){job, t->element}), at);
	running_list_drop(m, at);
	count_task(m, t, -1);
	if (t->yielded_use)
		users_spend(m, job, t->yielded_use, -1);
	floating_give(m, t);
	free(t->yielded_use);
	free(t->many);
	*t = (struct task){.job = m->tasks.unused, .count = 0};
	m->tasks.unused = at;
	m->jobs.list[job].running--;
	jobs_settle(m, job);
}

void sched_end(struct sched *s, uint64_t id, uint32_t element)
{
	struct model *m = model_of(s);
	struct gang_member *member = member_of(m, id);
	struct task *t = task_of(m, id, element);

	if (member)
		gang_jobs_end(m, member);
	else if (t)
		tasks_end(m, t);
}
