#include "sched/parts.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * Who runs, queue by queue and sorted as they would be put back, kept from round to round: most of
 * them stay, so a round sorts in only those who came since the last. Who ended is known by the
 * number of his place, which the next one there does not share, and leaves the roster when it is
 * used next.
 */

enum { SPARE = 64 }; /* ended ones that are let stand */

static bool is_there(const struct sched *s, const struct standing *e)
{
	return s->serials[e->task] == e->serial;
}

/* Those who ended go. */
static void sweep(struct sched *s, struct roster *r)
{
	uint32_t n = 0, sorted = r->sorted;

	for (uint32_t i = 0; i < r->count; i++) {
		if (is_there(s, &r->list[i]))
			r->list[n++] = r->list[i];
		else
			sorted -= i < r->sorted;
	}
	r->count = n;
	r->sorted = sorted;
}

void roster_add(struct sched *s, uint32_t task)
{
	struct queue *q = &s->queues[s->lanes[s->tasks[task].lane].queue];
	struct roster *r = &q->roster;

	if (r->count > 2 * q->tasks + SPARE)
		sweep(s, r);
	GROW(r->list, r->cap, r->count + 1);
	r->list[r->count++] = (struct standing){task, s->serials[task]};
}

void roster_place(struct sched *s, uint32_t task)
{
	size_t had = s->serials_cap;

	GROW(s->serials, s->serials_cap, task + (size_t)1);
	memset(s->serials + had, 0, (s->serials_cap - had) * sizeof(*s->serials));
}

void roster_drop(struct sched *s, uint32_t task)
{
	s->serials[task]++;
}

int roster_compare(const struct sched *s, const struct place_in_line *a,
		   const struct place_in_line *b)
{
	int64_t p = s->classes[s->keys[a->key].class].priority;
	int64_t q = s->classes[s->keys[b->key].class].priority;
	const struct job *j = &s->jobs[a->job], *l = &s->jobs[b->job];

	if (p != q)
		return p > q ? -1 : 1;
	if (a->fresh != b->fresh)
		return a->fresh ? 1 : -1;
	if (j->priority != l->priority)
		return j->priority < l->priority ? -1 : 1;
	if (!a->fresh && a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	if (j->submit_us != l->submit_us)
		return j->submit_us < l->submit_us ? -1 : 1;
	if (j->id != l->id)
		return j->id < l->id ? -1 : 1;
	return (a->element > b->element) - (a->element < b->element);
}

static struct place_in_line line_of(const struct sched *s, const struct standing *e)
{
	const struct task *t = &s->tasks[e->task];

	return (struct place_in_line){.job = t->job,
				      .element = t->element,
				      .key = s->lanes[t->lane].key,
				      .start_us = t->start_us};
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct sched *s = arg;
	struct place_in_line a = line_of(s, x), b = line_of(s, y);

	return roster_compare(s, &a, &b);
}

/* How many of the first `count` are not after this one. */
static uint32_t before(const struct sched *s, const struct roster *r, uint32_t count,
		       const struct standing *e)
{
	uint32_t lo = 0, hi = count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare(&r->list[mid], e, (void *)s) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The new ones, sorted, go in among the old from the end: each of the old moves once. */
static void merge(struct sched *s, struct roster *r)
{
	uint32_t fresh = r->count - r->sorted, end = r->sorted;
	struct standing *tail = xmemdup(r->list + r->sorted, fresh * sizeof(*tail));

	qsort_r(tail, fresh, sizeof(*tail), compare, s);
	for (uint32_t i = fresh; i-- > 0;) {
		uint32_t at = before(s, r, end, &tail[i]);

		memmove(r->list + at + i + 1, r->list + at, (end - at) * sizeof(*r->list));
		r->list[at + i] = tail[i];
		end = at;
	}
	free(tail);
}

const struct roster *roster_sorted(struct sched *s, uint32_t queue)
{
	struct queue *q = &s->queues[queue];
	struct roster *r = &q->roster;

	if (r->count != q->tasks)
		sweep(s, r);
	if (r->sorted < r->count)
		merge(s, r);
	r->sorted = r->count;
	return r;
}

void roster_forget(struct sched *s, uint32_t queue)
{
	s->queues[queue].roster.sorted = 0;
}

void rosters_forget(struct sched *s)
{
	for (size_t i = 0; i < s->queue_count; i++)
		s->queues[i].roster.sorted = 0;
}
