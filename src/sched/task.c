#include "sched/memory.h"
#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

struct element {
	uint32_t job, element;
};

static bool same_task(const void *arg, uint32_t task, const void *what)
{
	const struct task *t = &((const struct sched *)arg)->tasks[task];
	const struct element *e = what;

	return t->job == e->job && t->element == e->element;
}

static uint32_t hash_element(struct element e)
{
	return hash_u64((uint64_t)e.job << 32 | e.element);
}

static uint32_t task_place(struct sched *s)
{
	uint32_t task = s->task_free;

	if (task != NIL) {
		s->task_free = s->tasks[task].job;
		return task;
	}
	GROW(s->tasks, s->task_cap, s->task_count + 1);
	roster_place(s, (uint32_t)s->task_count);
	return (uint32_t)s->task_count++;
}

/* Up to which level a member weighs on its node. */
static uint32_t task_cutoff(const struct sched *s, const struct task *t, uint32_t part)
{
	return t->pinned ? s->level_count : key_cutoff(s, s->lanes[s->jobs[t->job].lane].key, part);
}

/* The node is told when the member ends at the latest (1), or to forget it (-1). */
static void foresee(struct sched *s, const struct task *t, uint32_t part, uint32_t node, int sign)
{
	const struct job *j = &s->jobs[t->job];
	uint32_t task = (uint32_t)(t - s->tasks);

	if (!j->lasts_us)
		return;
	if (sign > 0)
		ends_add(s, node,
			 &(struct end){.at_us = time_add(t->start_us, j->lasts_us),
				       .task = task,
				       .part = part,
				       .firm = t->pinned ||
					       !s->keys[s->lanes[j->lane].key].urgent});
	else
		ends_remove(s, node, task, part);
}

static void foresee_all(struct sched *s, const struct task *t, int sign)
{
	const uint32_t *nodes = t->many ? t->many : &t->one;
	uint32_t key = s->lanes[s->jobs[t->job].lane].key;

	for (uint32_t i = 0; i < t->count; i++)
		if (nodes[i] != NIL)
			foresee(s, t, key_part_of(s, key, i), nodes[i], sign);
}

/* One member's node and queue bear it (1) or are rid of it (-1). */
static void bear_member(struct sched *s, const struct task *t, uint32_t member, int sign)
{
	const struct lane *l = &s->lanes[s->jobs[t->job].lane];
	uint32_t node = (t->many ? t->many : &t->one)[member];
	uint32_t part = key_part_of(s, l->key, member), class = s->keys[part].class;
	const int64_t *request = key_request(s, part);
	struct queue *q = &s->queues[l->queue];

	if (node == NIL)
		return;
	s->changes++;
	memory_lapse(s, q);
	for (size_t r = 0; r < s->dims; r++) {
		q->allocated[r] += sign * request[r];
		q->used[class * s->dims + r] += sign * request[r];
	}
	tenant_spend(s, t->job, request, sign);
	node_use(s, node, part, task_cutoff(s, t, part), sign);
	foresee(s, t, part, node, sign);
	node_count(s, node);
	if (sign < 0)
		node_grown(s, node);
}

static void bear(struct sched *s, const struct task *t, int sign)
{
	const uint32_t *nodes = t->many ? t->many : &t->one;

	s->queues[s->lanes[s->jobs[t->job].lane].queue].tasks += (uint32_t)sign;
	tenant_count(s, t->job, (int64_t)sign * t->elements);
	for (uint32_t i = 0; i < t->count; i++)
		bear_member(s, t, i, sign);
	for (uint32_t i = 0; sign < 0 && i < t->count; i++)
		if (nodes[i] != NIL)
			node_release(s, nodes[i]);
}

void sched_run(struct sched *s, uint64_t id, uint32_t element, const char *const *nodes,
	       int64_t start_us)
{
	struct element e = {view_job_find(s, id), element};
	struct task *t;
	uint32_t at, *list;

	if (e.job == NIL || map_find(&s->task_map, hash_element(e), same_task, s, &e) != NIL)
		return;
	at = task_place(s);
	t = &s->tasks[at];
	*t = (struct task){.job = e.job, .element = element, .start_us = start_us};
	t->lane = s->jobs[e.job].lane;
	t->count = s->keys[s->lanes[t->lane].key].members;
	t->elements = s->lanes[t->lane].elements;
	if (t->count > 1)
		t->many = xreallocarray(NULL, t->count, sizeof(*t->many));
	list = t->many ? t->many : &t->one;
	for (uint32_t i = 0; i < t->count; i++)
		list[i] = nodes[i] ? node_intern(s, nodes[i]) : NIL;
	map_add(&s->task_map, hash_element(e), at);
	bear(s, t, 1);
	roster_add(s, at);
	job_unwait(s, e.job, element, element);
	s->jobs[e.job].running++;
	s->jobs[e.job].reason = 0;
	job_settle(s, e.job);
}

/* Every member of every running element of the job, which changes nothing for its queue. */
static void bear_again(struct sched *s, uint32_t job, int sign)
{
	for (uint32_t at = 0; s->jobs[job].running && at < s->task_count; at++) {
		struct task *t = &s->tasks[at];

		if (!t->count || t->job != job)
			continue;
		if (sign < 0)
			roster_drop(s, at);
		t->lane = s->jobs[job].lane;
		for (uint32_t i = 0; i < t->count; i++)
			bear_member(s, t, i, sign);
		if (sign > 0)
			roster_add(s, at);
	}
}

void tasks_change_lane(struct sched *s, uint32_t job, uint32_t lane)
{
	bear_again(s, job, -1);
	s->jobs[job].lane = lane;
	bear_again(s, job, 1);
}

static uint32_t task_find(const struct sched *s, uint64_t id, uint32_t element)
{
	struct element e = {view_job_find(s, id), element};

	return e.job == NIL ? NIL : map_find(&s->task_map, hash_element(e), same_task, s, &e);
}

/* The levels of its nodes bear it (1) or are rid of it (-1). */
static void weigh(struct sched *s, const struct task *t, int sign)
{
	const uint32_t *nodes = t->many ? t->many : &t->one;

	s->changes++;
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t part = key_part_of(s, s->lanes[s->jobs[t->job].lane].key, i);

		if (nodes[i] == NIL)
			continue;
		level_use(s, nodes[i], part, task_cutoff(s, t, part), sign);
		if (sign < 0)
			continue;
		/* What its end frees may have changed with it. */
		foresee(s, t, part, nodes[i], -1);
		foresee(s, t, part, nodes[i], 1);
	}
}

void tasks_weigh(struct sched *s)
{
	for (size_t i = 0; i < s->task_count; i++)
		if (s->tasks[i].count)
			weigh(s, &s->tasks[i], 1);
}

void sched_pin(struct sched *s, uint64_t id, uint32_t element, bool pinned)
{
	uint32_t task = task_find(s, id, element);

	if (task == NIL || s->tasks[task].pinned == pinned)
		return;
	weigh(s, &s->tasks[task], -1);
	s->tasks[task].pinned = pinned;
	weigh(s, &s->tasks[task], 1);
}

void sched_started(struct sched *s, uint64_t id, uint32_t element, int64_t start_us)
{
	uint32_t at = task_find(s, id, element);

	if (at == NIL || s->tasks[at].start_us == start_us)
		return;
	foresee_all(s, &s->tasks[at], -1);
	roster_drop(s, at);
	s->tasks[at].start_us = start_us;
	roster_add(s, at); /* which is sorted by it */
	foresee_all(s, &s->tasks[at], 1);
	s->changes++;
}

void sched_member_end(struct sched *s, uint64_t id, uint32_t element, uint32_t member)
{
	uint32_t task = task_find(s, id, element), *list, node;

	if (task == NIL || member >= s->tasks[task].count)
		return;
	list = s->tasks[task].many ? s->tasks[task].many : &s->tasks[task].one;
	node = list[member];
	bear_member(s, &s->tasks[task], member, -1);
	list[member] = NIL;
	if (node != NIL)
		node_release(s, node);
}

/* What its element owes is paid at its end. */
static void owe(struct sched *s, struct task *t, const int64_t *request)
{
	if (!t->owed)
		t->owed = xcalloc(s->dims, sizeof(*t->owed));
	for (size_t r = 0; r < s->dims; r++)
		t->owed[r] += request[r];
	tenant_spend(s, t->job, request, 1);
}

void sched_member_yield(struct sched *s, uint64_t id, uint32_t element, uint32_t member)
{
	uint32_t task = task_find(s, id, element);
	struct task *t = &s->tasks[task];

	if (task == NIL || member >= t->count || (t->many ? t->many : &t->one)[member] == NIL)
		return;
	owe(s, t, key_request(s, key_part_of(s, s->lanes[t->lane].key, member)));
	sched_member_end(s, id, element, member);
}

void sched_elements_left(struct sched *s, uint64_t id, uint32_t element, uint32_t elements)
{
	uint32_t task = task_find(s, id, element);

	if (task == NIL)
		return;
	tenant_count(s, s->tasks[task].job, (int64_t)elements - s->tasks[task].elements);
	s->tasks[task].elements = elements;
}

void sched_member_run(struct sched *s, uint64_t id, uint32_t element, uint32_t member,
		      const char *node)
{
	uint32_t task = task_find(s, id, element), *list;

	if (task == NIL || member >= s->tasks[task].count)
		return;
	list = s->tasks[task].many ? s->tasks[task].many : &s->tasks[task].one;
	if (list[member] != NIL)
		return;
	list[member] = node_intern(s, node);
	bear_member(s, &s->tasks[task], member, 1);
}

void sched_end(struct sched *s, uint64_t id, uint32_t element)
{
	struct element e = {view_job_find(s, id), element};
	uint32_t task;

	if (e.job == NIL)
		return;
	task = map_find(&s->task_map, hash_element(e), same_task, s, &e);
	if (task == NIL)
		return;
	map_remove(&s->task_map, hash_element(e), task);
	roster_drop(s, task);
	bear(s, &s->tasks[task], -1);
	if (s->tasks[task].owed)
		tenant_spend(s, e.job, s->tasks[task].owed, -1);
	free(s->tasks[task].owed);
	free(s->tasks[task].many);
	s->tasks[task] = (struct task){.job = s->task_free, .count = 0};
	s->task_free = task;
	s->jobs[e.job].running--;
	job_settle(s, e.job);
}
