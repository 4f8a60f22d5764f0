/*
 * Subqueues: ready jobs in queue order.
 *
 * Input: jobs that become ready or are removed. Output: the first job of each subqueue, and the
 * next. The ready jobs of a subqueue form a treap: sorted in queue order, with a heap over a hash
 * of the id, so that the same jobs make the same tree in whatever order they were added. Each job
 * has the shortest time limit of its subtree, for the search for the next job that ends in time.
 */
#include "sched/model/subqueue.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <assert.h>

bool subqueue_job_before(const struct model *m, uint32_t a, uint32_t b)
{
	const struct job *x = &m->jobs.list[a], *y = &m->jobs.list[b];
	uint32_t key_x = m->subqueues.list[x->subqueue].shape,
		 key_y = m->subqueues.list[y->subqueue].shape;

	if (key_x != key_y) {
		int64_t p = m->levels.classes[m->shapes.list[key_x].class].priority;
		int64_t q = m->levels.classes[m->shapes.list[key_y].class].priority;

		if (p != q)
			return p > q;
	}
	if (x->turn != y->turn)
		return x->turn < y->turn;
	if (x->priority != y->priority)
		return x->priority < y->priority;
	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us;
	return x->id < y->id;
}

static bool same_subqueue(const void *arg, uint32_t subqueue, const void *what)
{
	const struct subqueue *l = &((const struct model *)arg)->subqueues.list[subqueue];
	const struct subqueue_name *n = what;

	return l->queue == n->queue && l->shape == n->shape && l->owner == n->owner &&
	       l->payer == n->payer && l->elements == n->elements;
}

static uint32_t hash_name(const struct subqueue_name *n)
{
	return hash_u64(((uint64_t)n->queue << 32 | n->shape) ^
			hash_u64((uint64_t)n->owner << 32 | n->elements) ^
			(n->payer == NIL ? 0 : hash_u64(~(uint64_t)n->payer)));
}

struct subqueue_name subqueue_like(const struct model *m, uint32_t job, uint32_t shape)
{
	const struct subqueue *l = &m->subqueues.list[m->jobs.list[job].subqueue];

	return (struct subqueue_name){l->queue, shape, l->owner, l->payer, l->elements};
}

uint32_t subqueue_intern(struct model *m, struct subqueue_name name)
{
	uint32_t subqueue = map_find(&m->subqueues.map, hash_name(&name), same_subqueue, m, &name);

	if (subqueue != NIL)
		return subqueue;
	subqueue = TABLE_PLACE(&m->subqueues, shape);
	m->subqueues.list[subqueue] = (struct subqueue){.queue = name.queue,
							.shape = name.shape,
							.owner = name.owner,
							.payer = name.payer,
							.elements = name.elements,
							.root = NIL,
							.head = NIL,
							.at = NIL,
							.loose = NIL};
	m->shapes.list[name.shape].users++;
	map_add(&m->subqueues.map, hash_name(&name), subqueue);
	return subqueue;
}

void subqueue_release(struct model *m, uint32_t subqueue)
{
	struct subqueue *l = &m->subqueues.list[subqueue];
	struct subqueue_name name = {l->queue, l->shape, l->owner, l->payer, l->elements};

	if (l->jobs)
		return;
	assert(l->head == NIL);
	map_remove(&m->subqueues.map, hash_name(&name), subqueue);
	job_shape_release(m, l->shape);
	*l = (struct subqueue){.queue = NIL, .shape = m->subqueues.unused};
	m->subqueues.unused = subqueue;
}

static void list_subqueue(struct model *m, uint32_t subqueue)
{
	struct queue *q = &m->queues.list[m->subqueues.list[subqueue].queue];

	GROW(q->subqueues, q->subqueue_cap, q->subqueue_count + 1);
	m->subqueues.list[subqueue].at = (uint32_t)q->subqueue_count;
	q->subqueues[q->subqueue_count++] = subqueue;
}

static void unlist_subqueue(struct model *m, uint32_t subqueue)
{
	struct queue *q = &m->queues.list[m->subqueues.list[subqueue].queue];
	uint32_t at = m->subqueues.list[subqueue].at, moved = q->subqueues[--q->subqueue_count];

	q->subqueues[at] = moved;
	m->subqueues.list[moved].at = at;
	m->subqueues.list[subqueue].at = NIL;
}

static uint32_t weight(const struct model *m, uint32_t job)
{
	return hash_u64(m->jobs.list[job].id);
}

/* Put `with` in the place of `job` in the tree. */
static void replace(struct model *m, struct subqueue *l, uint32_t job, uint32_t with)
{
	uint32_t up = m->jobs.list[job].up;

	if (up == NIL)
		l->root = with;
	else if (m->jobs.list[up].left == job)
		m->jobs.list[up].left = with;
	else
		m->jobs.list[up].right = with;
	if (with != NIL)
		m->jobs.list[with].up = up;
}

/* Is the job's run time at most this, with the least time limit that it accepts? */
static bool within(const struct model *m, uint32_t job, int64_t max_us)
{
	int64_t least_us = job != NIL ? jobs_least_us(&m->jobs.list[job]) : 0;

	return least_us && least_us <= max_us;
}

/* Does the subtree have such a job? */
static bool any_within(const struct model *m, uint32_t job, int64_t max_us)
{
	return job != NIL && within(m, m->jobs.list[job].shortest, max_us);
}

static uint32_t shorter(const struct model *m, uint32_t a, uint32_t b)
{
	return b != NIL && within(m, b, a == NIL ? INT64_MAX : jobs_least_us(&m->jobs.list[a])) ? b
												: a;
}

/* The shortest of the job and its subtrees. */
static void measure(struct model *m, uint32_t job)
{
	struct job *j = &m->jobs.list[job];

	j->shortest = jobs_least_us(j) ? job : NIL;
	if (j->left != NIL)
		j->shortest = shorter(m, j->shortest, m->jobs.list[j->left].shortest);
	if (j->right != NIL)
		j->shortest = shorter(m, j->shortest, m->jobs.list[j->right].shortest);
}

static void measure_up(struct model *m, uint32_t job)
{
	for (; job != NIL; job = m->jobs.list[job].up)
		measure(m, job);
}

static void rotate_up(struct model *m, struct subqueue *l, uint32_t job)
{
	uint32_t up = m->jobs.list[job].up, moved;
	struct job *j = &m->jobs.list[job], *u = &m->jobs.list[up];

	replace(m, l, up, job);
	if (u->left == job) {
		moved = u->left = j->right;
		j->right = up;
	} else {
		moved = u->right = j->left;
		j->left = up;
	}
	if (moved != NIL)
		m->jobs.list[moved].up = up;
	u->up = job;
	measure(m, up);
	measure(m, job);
}

static void hang(struct model *m, struct subqueue *l, uint32_t job)
{
	uint32_t *at = &l->root, up = NIL;

	while (*at != NIL) {
		up = *at;
		at = subqueue_job_before(m, job, up) ? &m->jobs.list[up].left
						     : &m->jobs.list[up].right;
	}
	*at = job;
	m->jobs.list[job].left = m->jobs.list[job].right = NIL;
	m->jobs.list[job].up = up;
	measure_up(m, job);
	while (m->jobs.list[job].up != NIL && weight(m, m->jobs.list[job].up) < weight(m, job))
		rotate_up(m, l, job);
}

static void unhang(struct model *m, struct subqueue *l, uint32_t job)
{
	struct job *j = &m->jobs.list[job];

	while (j->left != NIL && j->right != NIL)
		rotate_up(m, l, weight(m, j->left) > weight(m, j->right) ? j->left : j->right);
	replace(m, l, job, j->left != NIL ? j->left : j->right);
	measure_up(m, j->up);
	j->left = j->right = j->up = NIL;
}

uint32_t subqueue_after(const struct model *m, uint32_t job)
{
	uint32_t at = m->jobs.list[job].right, up;

	if (at != NIL) {
		while (m->jobs.list[at].left != NIL)
			at = m->jobs.list[at].left;
		return at;
	}
	for (up = m->jobs.list[job].up; up != NIL && m->jobs.list[up].right == job;
	     up = m->jobs.list[up].up)
		job = up;
	return up;
}

/* The first job of this subtree whose longest run time is at most this; NIL: none. */
static uint32_t first_within(const struct model *m, uint32_t job, int64_t max_us)
{
	if (!any_within(m, job, max_us))
		return NIL;
	for (;;) {
		const struct job *j = &m->jobs.list[job];

		if (any_within(m, j->left, max_us))
			job = j->left;
		else if (within(m, job, max_us))
			return job;
		else
			job = j->right;
	}
}

uint32_t subqueue_after_within(const struct model *m, uint32_t job, int64_t max_us)
{
	uint32_t found = first_within(m, m->jobs.list[job].right, max_us), up;

	for (; found == NIL && (up = m->jobs.list[job].up) != NIL; job = up) {
		if (m->jobs.list[up].left != job)
			continue;
		if (within(m, up, max_us))
			return up;
		found = first_within(m, m->jobs.list[up].right, max_us);
	}
	return found;
}

void subqueue_insert(struct model *m, uint32_t job)
{
	uint32_t subqueue = m->jobs.list[job].subqueue;
	struct subqueue *l = &m->subqueues.list[subqueue];

	hang(m, l, job);
	m->jobs.list[job].ready = true;
	if (l->head == NIL)
		list_subqueue(m, subqueue);
	if (l->head == NIL || subqueue_job_before(m, job, l->head))
		head_list_change(m, subqueue, job);
}

void subqueue_remove(struct model *m, uint32_t job)
{
	uint32_t subqueue = m->jobs.list[job].subqueue;
	struct subqueue *l = &m->subqueues.list[subqueue];

	if (l->head == job)
		head_list_change(m, subqueue, subqueue_after(m, job));
	unhang(m, l, job);
	m->jobs.list[job].ready = false;
	if (l->head == NIL)
		unlist_subqueue(m, subqueue);
}

void subqueue_move(struct model *m, uint32_t job, struct subqueue_name name)
{
	struct job *j = &m->jobs.list[job];
	uint32_t old = j->subqueue, subqueue = subqueue_intern(m, name);
	bool ready = j->ready;

	if (subqueue == old)
		return;
	if (ready)
		subqueue_remove(m, job);
	j->subqueue = subqueue;
	m->subqueues.list[j->subqueue].jobs++;
	m->subqueues.list[old].jobs--;
	subqueue_release(m, old);
	if (ready)
		subqueue_insert(m, job);
}

/* The subqueue that the limits of the job now require. */
static struct subqueue_name name_by_limits(const struct model *m, uint32_t job)
{
	const struct job *j = &m->jobs.list[job];
	struct subqueue_name name = subqueue_like(m, job, jobs_shape(m, job));

	name.owner = users_quota_user(m, jobs_replaces(j->id, j->turn), name.queue, j->queue_user);
	name.payer = accounts_payer(m, jobs_replaces(j->id, j->turn), j->account_user);
	return name;
}

void subqueue_divide(struct model *m, uint32_t queue)
{
	for (uint32_t i = 0; i < m->jobs.count; i++)
		if (m->jobs.list[i].subqueue != NIL &&
		    (queue == NIL || m->subqueues.list[m->jobs.list[i].subqueue].queue == queue))
			subqueue_move(m, i, name_by_limits(m, i));
	for (size_t i = 0; i < m->tasks.count; i++)
		if (m->tasks.list[i].count)
			m->tasks.list[i].subqueue = m->jobs.list[m->tasks.list[i].job].subqueue;
}
