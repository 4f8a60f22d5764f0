#include "sched/parts.h"
#include "util/mem.h"

#include <assert.h>

/* The ready jobs of a lane form a treap: ordered as in the queue, heaped by hash of the id. */

bool job_before(const struct sched *s, uint32_t a, uint32_t b)
{
	const struct job *x = &s->jobs[a], *y = &s->jobs[b];
	uint32_t key_x = s->lanes[x->lane].key, key_y = s->lanes[y->lane].key;

	if (key_x != key_y) {
		int64_t p = s->classes[s->keys[key_x].class].priority;
		int64_t q = s->classes[s->keys[key_y].class].priority;

		if (p != q)
			return p > q;
	}
	if (x->priority != y->priority)
		return x->priority < y->priority;
	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us;
	return x->id < y->id;
}

static bool same_lane(const void *arg, uint32_t lane, const void *what)
{
	const struct lane *l = &((const struct sched *)arg)->lanes[lane];
	const struct lane_name *n = what;

	return l->queue == n->queue && l->key == n->key && l->who == n->who &&
	       l->elements == n->elements;
}

static uint32_t hash_name(const struct lane_name *n)
{
	return hash_u64(((uint64_t)n->queue << 32 | n->key) ^
			hash_u64((uint64_t)n->who << 32 | n->elements));
}

struct lane_name lane_like(const struct sched *s, uint32_t job, uint32_t key)
{
	const struct lane *l = &s->lanes[s->jobs[job].lane];

	return (struct lane_name){l->queue, key, l->who, l->elements};
}

uint32_t lane_intern(struct sched *s, struct lane_name name)
{
	uint32_t lane = map_find(&s->lane_map, hash_name(&name), same_lane, s, &name);

	if (lane != NIL)
		return lane;
	lane = s->lane_free;
	if (lane != NIL) {
		s->lane_free = s->lanes[lane].key;
	} else {
		GROW(s->lanes, s->lane_cap, s->lane_count + 1);
		lane = (uint32_t)s->lane_count++;
	}
	s->lanes[lane] = (struct lane){.queue = name.queue,
				       .key = name.key,
				       .who = name.who,
				       .elements = name.elements,
				       .root = NIL,
				       .head = NIL,
				       .at = NIL};
	s->keys[name.key].users++;
	map_add(&s->lane_map, hash_name(&name), lane);
	return lane;
}

void lane_release(struct sched *s, uint32_t lane)
{
	struct lane *l = &s->lanes[lane];
	struct lane_name name = {l->queue, l->key, l->who, l->elements};

	if (l->jobs)
		return;
	assert(l->head == NIL);
	map_remove(&s->lane_map, hash_name(&name), lane);
	key_release(s, l->key);
	*l = (struct lane){.queue = NIL, .key = s->lane_free};
	s->lane_free = lane;
}

static void list_lane(struct sched *s, uint32_t lane)
{
	struct queue *q = &s->queues[s->lanes[lane].queue];

	GROW(q->lanes, q->lane_cap, q->lane_count + 1);
	s->lanes[lane].at = (uint32_t)q->lane_count;
	q->lanes[q->lane_count++] = lane;
}

static void unlist_lane(struct sched *s, uint32_t lane)
{
	struct queue *q = &s->queues[s->lanes[lane].queue];
	uint32_t at = s->lanes[lane].at, moved = q->lanes[--q->lane_count];

	q->lanes[at] = moved;
	s->lanes[moved].at = at;
	s->lanes[lane].at = NIL;
}

static uint32_t weight(const struct sched *s, uint32_t job)
{
	return hash_u64(s->jobs[job].id);
}

/* Put `with` where `job` hangs. */
static void replace(struct sched *s, struct lane *l, uint32_t job, uint32_t with)
{
	uint32_t up = s->jobs[job].up;

	if (up == NIL)
		l->root = with;
	else if (s->jobs[up].left == job)
		s->jobs[up].left = with;
	else
		s->jobs[up].right = with;
	if (with != NIL)
		s->jobs[with].up = up;
}

/* Does the job run no longer than this? */
static bool within(const struct sched *s, uint32_t job, int64_t most_us)
{
	return job != NIL && s->jobs[job].lasts_us && s->jobs[job].lasts_us <= most_us;
}

/* And any of those that the tree has at and below it? */
static bool any_within(const struct sched *s, uint32_t job, int64_t most_us)
{
	return job != NIL && within(s, s->jobs[job].shortest, most_us);
}

static uint32_t shorter(const struct sched *s, uint32_t a, uint32_t b)
{
	return b != NIL && within(s, b, a == NIL ? INT64_MAX : s->jobs[a].lasts_us) ? b : a;
}

/* The shortest of the job and of those below it. */
static void measure(struct sched *s, uint32_t job)
{
	struct job *j = &s->jobs[job];

	j->shortest = j->lasts_us ? job : NIL;
	if (j->left != NIL)
		j->shortest = shorter(s, j->shortest, s->jobs[j->left].shortest);
	if (j->right != NIL)
		j->shortest = shorter(s, j->shortest, s->jobs[j->right].shortest);
}

static void measure_up(struct sched *s, uint32_t job)
{
	for (; job != NIL; job = s->jobs[job].up)
		measure(s, job);
}

static void rotate_up(struct sched *s, struct lane *l, uint32_t job)
{
	uint32_t up = s->jobs[job].up, moved;
	struct job *j = &s->jobs[job], *u = &s->jobs[up];

	replace(s, l, up, job);
	if (u->left == job) {
		moved = u->left = j->right;
		j->right = up;
	} else {
		moved = u->right = j->left;
		j->left = up;
	}
	if (moved != NIL)
		s->jobs[moved].up = up;
	u->up = job;
	measure(s, up);
	measure(s, job);
}

static void hang(struct sched *s, struct lane *l, uint32_t job)
{
	uint32_t *at = &l->root, up = NIL;

	while (*at != NIL) {
		up = *at;
		at = job_before(s, job, up) ? &s->jobs[up].left : &s->jobs[up].right;
	}
	*at = job;
	s->jobs[job].left = s->jobs[job].right = NIL;
	s->jobs[job].up = up;
	measure_up(s, job);
	while (s->jobs[job].up != NIL && weight(s, s->jobs[job].up) < weight(s, job))
		rotate_up(s, l, job);
}

static void unhang(struct sched *s, struct lane *l, uint32_t job)
{
	struct job *j = &s->jobs[job];

	while (j->left != NIL && j->right != NIL)
		rotate_up(s, l, weight(s, j->left) > weight(s, j->right) ? j->left : j->right);
	replace(s, l, job, j->left != NIL ? j->left : j->right);
	measure_up(s, j->up);
	j->left = j->right = j->up = NIL;
}

uint32_t lane_after(const struct sched *s, uint32_t job)
{
	uint32_t at = s->jobs[job].right, up;

	if (at != NIL) {
		while (s->jobs[at].left != NIL)
			at = s->jobs[at].left;
		return at;
	}
	for (up = s->jobs[job].up; up != NIL && s->jobs[up].right == job; up = s->jobs[up].up)
		job = up;
	return up;
}

/* The first of this part of the tree that runs no longer than this; NIL: none. */
static uint32_t first_within(const struct sched *s, uint32_t job, int64_t most_us)
{
	if (!any_within(s, job, most_us))
		return NIL;
	for (;;) {
		const struct job *j = &s->jobs[job];

		if (any_within(s, j->left, most_us))
			job = j->left;
		else if (within(s, job, most_us))
			return job;
		else
			job = j->right;
	}
}

uint32_t lane_after_within(const struct sched *s, uint32_t job, int64_t most_us)
{
	uint32_t found = first_within(s, s->jobs[job].right, most_us), up;

	for (; found == NIL && (up = s->jobs[job].up) != NIL; job = up) {
		if (s->jobs[up].left != job)
			continue;
		if (within(s, up, most_us))
			return up;
		found = first_within(s, s->jobs[up].right, most_us);
	}
	return found;
}

void lane_insert(struct sched *s, uint32_t job)
{
	uint32_t lane = s->jobs[job].lane;
	struct lane *l = &s->lanes[lane];

	hang(s, l, job);
	s->jobs[job].ready = true;
	if (l->head == NIL)
		list_lane(s, lane);
	if (l->head == NIL || job_before(s, job, l->head))
		l->head = job;
}

void lane_remove(struct sched *s, uint32_t job)
{
	uint32_t lane = s->jobs[job].lane;
	struct lane *l = &s->lanes[lane];

	if (l->head == job)
		l->head = lane_after(s, job);
	unhang(s, l, job);
	s->jobs[job].ready = false;
	if (l->head == NIL)
		unlist_lane(s, lane);
}

/* What runs of it goes along: lanes_divide. */
static void move_job(struct sched *s, uint32_t job)
{
	struct job *j = &s->jobs[job];
	uint32_t old = j->lane;
	struct lane_name name = lane_like(s, job, s->lanes[old].key);
	bool ready = j->ready;

	name.who = tenant_who(s, j->id, name.queue, j->tenant);
	if (name.who == s->lanes[old].who)
		return;
	if (ready)
		lane_remove(s, job);
	j->lane = lane_intern(s, name);
	s->lanes[j->lane].jobs++;
	s->lanes[old].jobs--;
	lane_release(s, old);
	if (ready)
		lane_insert(s, job);
}

void lanes_divide(struct sched *s, uint32_t queue)
{
	for (uint32_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].lane != NIL &&
		    (queue == NIL || s->lanes[s->jobs[i].lane].queue == queue))
			move_job(s, i);
	for (size_t i = 0; i < s->task_count; i++)
		if (s->tasks[i].count)
			s->tasks[i].lane = s->jobs[s->tasks[i].job].lane;
}
