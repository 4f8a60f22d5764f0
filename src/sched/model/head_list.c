/*
 * The subqueues of a queue, sorted by their first jobs.
 *
 * Input: subqueues whose first job changes. Output: the sorted array of struct head_list, and the loose
 * subqueues. An entry whose first job has changed is found by binary search and marked as stale; a merge
 * removes it. A merge copies the whole array, so it is made only when a sixteenth of the entries has changed.
 * Until then a round puts the loose subqueues into its heap, as many as changed.
 */
#include "sched/model/head_list.h"
#include "sched/model/model.h"
#include "util/mem.h"

#include <assert.h>
#include <stdlib.h>

enum {
	MERGE_PART = 16,  /* a merge is due when this part of the entries has changed */
	MERGE_LEAST = 32, /* and at least so many */
};

struct head_entry head_entry_of(const struct model *m, uint32_t subqueue, uint32_t job)
{
	const struct job *j = &m->jobs.list[job];
	const struct job_shape *k = &m->shapes.list[m->subqueues.list[subqueue].shape];

	return (struct head_entry){.class_priority = m->levels.classes[k->class].priority,
				   .priority = j->priority,
				   .submit_us = j->submit_us,
				   .id = j->id,
				   .turn = j->turn,
				   .subqueue = subqueue};
}

/* The first entry that is not before this one. */
static size_t lower_bound(const struct head_list *h, const struct head_entry *of)
{
	size_t lo = 0, hi = h->count;

	while (lo < hi) {
		size_t at = lo + (hi - lo) / 2;

		if (head_entry_before(&h->sorted[at], of))
			lo = at + 1;
		else
			hi = at;
	}
	return lo;
}

static void mark_stale(const struct model *m, struct head_list *h, uint32_t subqueue)
{
	struct head_entry old = head_entry_of(m, subqueue, m->subqueues.list[subqueue].head);
	size_t at = lower_bound(h, &old);

	assert(at < h->count && h->sorted[at].subqueue == subqueue);
	h->sorted[at].subqueue = NIL;
	h->stale++;
}

static void add_loose(struct model *m, struct head_list *h, uint32_t subqueue)
{
	GROW(h->loose, h->loose_cap, h->loose_count + 1);
	m->subqueues.list[subqueue].loose = (uint32_t)h->loose_count;
	h->loose[h->loose_count++] = subqueue;
}

static void remove_loose(struct model *m, struct head_list *h, uint32_t subqueue)
{
	uint32_t at = m->subqueues.list[subqueue].loose, moved = h->loose[--h->loose_count];

	h->loose[at] = moved;
	m->subqueues.list[moved].loose = at;
	m->subqueues.list[subqueue].loose = NIL;
}

void head_list_change(struct model *m, uint32_t subqueue, uint32_t job)
{
	struct subqueue *l = &m->subqueues.list[subqueue];
	struct head_list *h = &m->queues.list[l->queue].heads;

	if (l->head != NIL && l->loose == NIL)
		mark_stale(m, h, subqueue);
	l->head = job;
	if (job == NIL && l->loose != NIL)
		remove_loose(m, h, subqueue);
	else if (job != NIL && l->loose == NIL)
		add_loose(m, h, subqueue);
}

void head_list_forget_all(struct model *m)
{
	for (size_t i = 0; i < m->queues.count; i++) {
		struct queue *q = &m->queues.list[i];

		for (size_t k = 0; k < q->subqueue_count; k++)
			if (m->subqueues.list[q->subqueues[k]].loose == NIL)
				add_loose(m, &q->heads, q->subqueues[k]);
		q->heads.count = q->heads.stale = 0;
	}
}

static void drop_stale(struct head_list *h)
{
	size_t n = 0;

	if (!h->stale)
		return;
	for (size_t i = 0; i < h->count; i++)
		if (h->sorted[i].subqueue != NIL)
			h->sorted[n++] = h->sorted[i];
	h->count = n;
	h->stale = 0;
}

/* The entries of the loose subqueues that are no longer loose. Those of extra tasks stay. */
static size_t take_loose(struct model *m, struct head_list *h, struct head_entry *ret)
{
	size_t n = 0, left = 0;

	for (size_t i = 0; i < h->loose_count; i++) {
		uint32_t subqueue = h->loose[i];
		struct subqueue *l = &m->subqueues.list[subqueue];

		if (!l->elements) {
			l->loose = (uint32_t)left;
			h->loose[left++] = subqueue;
			continue;
		}
		l->loose = NIL;
		ret[n++] = head_entry_of(m, subqueue, l->head);
	}
	h->loose_count = left;
	return n;
}

static int compare(const void *a, const void *b)
{
	return head_entry_before(a, b) ? -1 : head_entry_before(b, a);
}

void head_list_merge(struct model *m, struct queue *q)
{
	struct head_list *h = &q->heads;
	struct head_entry *fresh CLEANUP_FREE = NULL;
	size_t due = h->count / MERGE_PART + MERGE_LEAST, n, old;

	if (h->loose_count < due && h->stale < due)
		return;
	fresh = xcalloc(h->loose_count + 1, sizeof(*fresh));
	n = take_loose(m, h, fresh);
	qsort(fresh, n, sizeof(*fresh), compare);
	drop_stale(h);
	old = h->count;
	GROW(h->sorted, h->cap, old + n + 1);
	h->count = old + n;
	for (size_t at = h->count; n;) /* the greatest first */
		if (old && head_entry_before(&fresh[n - 1], &h->sorted[old - 1]))
			h->sorted[--at] = h->sorted[--old];
		else
			h->sorted[--at] = fresh[--n];
}

void head_list_done(struct head_list *h)
{
	free(h->sorted);
	free(h->loose);
}
