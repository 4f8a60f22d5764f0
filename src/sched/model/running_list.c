/*
 * The running elements of each queue, sorted in the order in which they would be put back.
 *
 * Input: tasks that begin and end. Output: the sorted list of a queue. Most entries stay from round
 * to round, so a round sorts only the new ones and merges them. An entry whose task has ended is
 * recognized by the serial number of its place, which the next task there does not share; it is
 * removed when the list is used next.
 */
#include "sched/model/running_list.h"
#include "sched/model/model.h"
#include "util/bisect.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE = 64 }; /* ended entries that are tolerated before a sweep */

static bool is_there(const struct model *m, const struct running_entry *e)
{
	return m->tasks.serials[e->task] == e->serial;
}

/* Remove the entries of ended tasks. */
static void sweep(struct model *m, struct running_list *r)
{
	uint32_t n = 0, sorted = r->sorted;

	for (uint32_t i = 0; i < r->count; i++) {
		if (is_there(m, &r->list[i]))
			r->list[n++] = r->list[i];
		else
			sorted -= i < r->sorted;
	}
	r->count = n;
	r->sorted = sorted;
}

void running_list_add(struct model *m, uint32_t task)
{
	struct queue *q = &m->queues.list[m->subqueues.list[m->tasks.list[task].subqueue].queue];
	struct running_list *r = &q->running_list;

	if (r->count > 2 * q->tasks + SPARE)
		sweep(m, r);
	GROW(r->list, r->cap, r->count + 1);
	r->list[r->count++] = (struct running_entry){task, m->tasks.serials[task]};
}

void running_list_place(struct model *m, uint32_t task)
{
	size_t had = m->tasks.serials_cap;

	GROW(m->tasks.serials, m->tasks.serials_cap, task + (size_t)1);
	memset(m->tasks.serials + had, 0, (m->tasks.serials_cap - had) * sizeof(*m->tasks.serials));
}

void running_list_drop(struct model *m, uint32_t task)
{
	m->tasks.serials[task]++;
}

int running_list_compare(const struct model *m, const struct running_order *a,
			 const struct running_order *b)
{
	const struct job *j = &m->jobs.list[a->job], *l = &m->jobs.list[b->job];

	if (j->turn != l->turn)
		return j->turn < l->turn ? -1 : 1;
	if (j->priority != l->priority)
		return j->priority < l->priority ? -1 : 1;
	if (a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	if (j->submit_us != l->submit_us)
		return j->submit_us < l->submit_us ? -1 : 1;
	if (j->id != l->id)
		return j->id < l->id ? -1 : 1;
	return (a->element > b->element) - (a->element < b->element);
}

static struct running_order line_of(const struct model *m, const struct running_entry *e)
{
	const struct task *t = &m->tasks.list[e->task];

	return (struct running_order){
		.job = t->job, .element = t->element, .start_us = t->start_us};
}

static int64_t class_priority(const struct model *m, const struct running_entry *e)
{
	uint32_t shape = m->subqueues.list[m->tasks.list[e->task].subqueue].shape;

	return m->levels.classes[m->shapes.list[shape].class].priority;
}

/* Class, then running_list_compare. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct model *m = arg;
	struct running_order a = line_of(m, x), b = line_of(m, y);
	int64_t p = class_priority(m, x), q = class_priority(m, y);

	if (p != q)
		return p > q ? -1 : 1;
	return running_list_compare(m, &a, &b);
}

/* How many of the first `count` entries come before or equal this one. */
static uint32_t before(const struct model *m, const struct running_list *r, uint32_t count,
		       const struct running_entry *e)
{
	return BISECT(0, count, i, compare(&r->list[i], e, (void *)m) <= 0);
}

/* Merge the new entries, sorted, from the end: each old one moves once. */
static void merge(struct model *m, struct running_list *r)
{
	uint32_t fresh = r->count - r->sorted, end = r->sorted;
	struct running_entry *tail = xmemdup(r->list + r->sorted, fresh * sizeof(*tail));

	qsort_r(tail, fresh, sizeof(*tail), compare, m);
	for (uint32_t i = fresh; i-- > 0;) {
		uint32_t at = before(m, r, end, &tail[i]);

		memmove(r->list + at + i + 1, r->list + at, (end - at) * sizeof(*r->list));
		r->list[at + i] = tail[i];
		end = at;
	}
	free(tail);
}

const struct running_list *running_list_sorted(struct model *m, uint32_t queue)
{
	struct queue *q = &m->queues.list[queue];
	struct running_list *r = &q->running_list;

	if (r->count != q->tasks)
		sweep(m, r);
	if (r->sorted < r->count)
		merge(m, r);
	r->sorted = r->count;
	return r;
}

void running_list_forget(struct model *m, uint32_t queue)
{
	m->queues.list[queue].running_list.sorted = 0;
}

void running_list_forget_all(struct model *m)
{
	for (size_t i = 0; i < m->queues.count; i++)
		m->queues.list[i].running_list.sorted = 0;
}
