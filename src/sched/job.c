#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

uint64_t job_waiting(const struct job *j)
{
	if (j->many)
		return j->set->total;
	return j->first <= j->last ? (uint64_t)j->last - j->first + 1 : 0;
}

bool job_range(const struct job *j, uint32_t i, struct range *ret_range)
{
	if (j->many && i < j->set->count) {
		*ret_range = j->set->ranges[i];
		return true;
	}
	if (j->many || i || j->first > j->last)
		return false;
	*ret_range = (struct range){j->first, j->last};
	return true;
}

static bool same_job(const void *arg, uint32_t job, const void *what)
{
	return ((const struct sched *)arg)->jobs[job].id == *(const uint64_t *)what;
}

uint32_t view_job_find(const struct sched *s, uint64_t id)
{
	return map_find(&s->job_map, hash_u64(id), same_job, s, &id);
}

/* Count in (1) or out (-1) what the job asks for with its waiting elements. */
void job_count_demand(struct sched *s, uint32_t job, int sign)
{
	const struct job *j = &s->jobs[job];
	const struct lane *l = &s->lanes[j->lane];
	__int128 times = (__int128)job_waiting(j) * sign;
	uint32_t n;
	const uint32_t *parts = key_parts(s, &l->key, &n);

	if (j->held || !times)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct key *p = &s->keys[parts[i]];

		for (size_t r = 0; r < s->dims; r++)
			s->queues[l->queue].demand[p->class * s->dims + r] +=
				times * p->members * key_request(s, parts[i])[r];
	}
}

static bool throttled(const struct job *j)
{
	return j->throttle && j->running >= j->throttle;
}

/* A job that is gone, or was told of meanwhile, is noted no more, and each of the others once. */
static void sweep_notes(struct sched *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->note_count; i++) {
		struct job *j = &s->jobs[s->notes[i]];

		if (j->noted)
			s->notes[n++] = s->notes[i];
		j->noted = false;
	}
	for (size_t i = 0; i < n; i++)
		s->jobs[s->notes[i]].noted = true;
	s->note_count = n;
}

/* Something changed: in or out of the lane, and a word to the user if it is out. */
static void settle(struct sched *s, uint32_t job)
{
	struct job *j = &s->jobs[job];
	bool waits = job_waiting(j) > 0, ready = waits && !j->held && !throttled(j);

	if (ready && !j->ready)
		lane_insert(s, job);
	if (!ready && j->ready)
		lane_remove(s, job);
	if (!waits || ready || j->noted)
		return;
	if (s->note_count > 2 * s->job_count)
		sweep_notes(s);
	GROW(s->notes, s->note_cap, s->note_count + 1);
	s->notes[s->note_count++] = job;
	j->noted = true;
}

uint32_t job_place(struct sched *s)
{
	uint32_t job = s->job_free;

	if (job != NIL) {
		s->job_free = s->jobs[job].left;
		return job;
	}
	GROW(s->jobs, s->job_cap, s->job_count + 1);
	return (uint32_t)s->job_count++;
}

void sched_job_add(struct sched *s, const struct sched_job *in)
{
	uint32_t queue = view_queue_find(s, in->queue), job;

	assert(queue != NIL);
	if (view_job_find(s, in->id) != NIL)
		return;
	job = job_place(s);
	s->jobs[job] = (struct job){
		.id = in->id,
		.priority = in->priority,
		.submit_us = in->submit_us,
		.time_limit_us = in->time_limit_us,
		.first = 1,
		.last = 0,
		.lane = lane_intern(s, queue, key_intern(s, in)),
		.left = NIL,
		.right = NIL,
		.up = NIL,
		.throttle = in->throttle,
		.tasks_each = in->tasks_per_member < UINT16_MAX ? (uint16_t)in->tasks_per_member
								: UINT16_MAX,
	};
	s->lanes[s->jobs[job].lane].jobs++;
	s->queues[queue].jobs++;
	map_add(&s->job_map, hash_u64(in->id), job);
}

static void free_set(struct job *j)
{
	if (!j->many)
		return;
	rangeset_done(j->set);
	free(j->set);
	j->many = false;
	j->first = 1;
	j->last = 0;
}

void sched_job_remove(struct sched *s, uint64_t id)
{
	uint32_t job = view_job_find(s, id), lane, queue;

	if (job == NIL)
		return;
	assert(!s->jobs[job].running);
	job_count_demand(s, job, -1);
	if (s->jobs[job].ready)
		lane_remove(s, job);
	free_set(&s->jobs[job]);
	lane = s->jobs[job].lane;
	queue = s->lanes[lane].queue;
	s->lanes[lane].jobs--;
	lane_release(s, lane);
	s->queues[queue].jobs--;
	queue_release(s, queue);
	map_remove(&s->job_map, hash_u64(id), job);
	s->jobs[job] = (struct job){.left = s->job_free, .lane = NIL};
	s->job_free = job;
}

void sched_job_hold(struct sched *s, uint64_t id, bool held)
{
	uint32_t job = view_job_find(s, id);

	if (job == NIL || s->jobs[job].held == held)
		return;
	job_count_demand(s, job, -1);
	s->jobs[job].held = held;
	job_count_demand(s, job, 1);
	settle(s, job);
}

/* From one range to a set, before the first change that one range cannot express. */
static struct rangeset *make_set(struct job *j)
{
	struct rangeset *set;

	if (j->many)
		return j->set;
	set = xcalloc(1, sizeof(*set));
	if (j->first <= j->last)
		rangeset_add(set, j->first, j->last);
	j->set = set;
	j->many = true;
	return set;
}

/* And back. */
static void reduce_set(struct job *j)
{
	struct range r = {1, 0};

	if (!j->many || j->set->count > 1)
		return;
	if (j->set->count)
		r = j->set->ranges[0];
	free_set(j);
	j->first = r.lo;
	j->last = r.hi;
}

static void add_range(struct job *j, uint32_t first, uint32_t last)
{
	if (!j->many && j->first > j->last) {
		j->first = first;
		j->last = last;
	} else {
		rangeset_add(make_set(j), first, last);
	}
}

static void drop_range(struct job *j, uint32_t first, uint32_t last)
{
	if (!j->many && first <= j->first && last >= j->last) {
		j->first = 1;
		j->last = 0;
	} else if (!j->many && first <= j->first && last >= j->first && j->first <= j->last) {
		j->first = last + 1;
	} else {
		rangeset_remove(make_set(j), first, last);
	}
}

void sched_wait(struct sched *s, uint64_t id, uint32_t first, uint32_t last, uint32_t step)
{
	uint32_t job = view_job_find(s, id);

	if (job == NIL || first > last)
		return;
	job_count_demand(s, job, -1);
	if (step <= 1)
		add_range(&s->jobs[job], first, last);
	for (uint64_t i = first; step > 1 && i <= last; i += step)
		add_range(&s->jobs[job], (uint32_t)i, (uint32_t)i);
	reduce_set(&s->jobs[job]);
	job_count_demand(s, job, 1);
	settle(s, job);
}

static void unwait(struct sched *s, uint32_t job, uint32_t first, uint32_t last)
{
	job_count_demand(s, job, -1);
	drop_range(&s->jobs[job], first, last);
	reduce_set(&s->jobs[job]);
	job_count_demand(s, job, 1);
}

void sched_unwait(struct sched *s, uint64_t id, uint32_t first, uint32_t last)
{
	uint32_t job = view_job_find(s, id);

	if (job == NIL || first > last)
		return;
	unwait(s, job, first, last);
	settle(s, job);
}

/* Running elements. */

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

	if (!j->time_limit_us)
		return;
	if (sign > 0)
		ends_add(s, node,
			 &(struct end){.at_us = time_add(t->start_us, j->time_limit_us),
				       .task = task,
				       .part = part,
				       .firm = t->pinned ||
					       !s->keys[s->lanes[j->lane].key].urgent});
	else
		ends_remove(s, node, task, part);
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
	for (size_t r = 0; r < s->dims; r++) {
		q->allocated[r] += sign * request[r];
		q->used[class * s->dims + r] += sign * request[r];
	}
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
	if (t->count > 1)
		t->many = xreallocarray(NULL, t->count, sizeof(*t->many));
	list = t->many ? t->many : &t->one;
	for (uint32_t i = 0; i < t->count; i++)
		list[i] = nodes[i] ? node_intern(s, nodes[i]) : NIL;
	map_add(&s->task_map, hash_element(e), at);
	bear(s, t, 1);
	roster_add(s, at);
	unwait(s, e.job, element, element);
	s->jobs[e.job].running++;
	s->jobs[e.job].reason = 0;
	settle(s, e.job);
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
	free(s->tasks[task].many);
	s->tasks[task] = (struct task){.job = s->task_free, .count = 0};
	s->task_free = task;
	s->jobs[e.job].running--;
	settle(s, e.job);
}
