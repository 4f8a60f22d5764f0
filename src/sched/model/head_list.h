/*
 * The subqueues of one queue in the order of their first jobs, kept from round to round.
 *
 * A subqueue with a first job is either in `sorted`, an array in queue order, or in `loose`, without an
 * order, because its first job has changed since the array was made. When many subqueues are loose, the next
 * round merges them into the array. So a round reads the array in sequence, and a change costs a search in it
 * at most.
 *
 * Subqueues of extra tasks are always loose: a round serves them apart from the others.
 */
#pragma once

#include "sched/model/map.h"

struct model;
struct queue;

/* A subqueue, and the place of a job of it in queue order. */
struct head_entry {
	int64_t class_priority, priority, submit_us;
	uint64_t id;
	uint32_t turn;
	uint32_t subqueue; /* NIL: its first job has changed */
};

struct head_list {
	struct head_entry *sorted;
	uint32_t *loose;
	size_t count, cap;
	size_t stale; /* entries of sorted whose subqueue is NIL */
	size_t loose_count, loose_cap;
};

/* The order of subqueue_job_before, without reading the jobs. */
static inline bool head_entry_before(const struct head_entry *a, const struct head_entry *b)
{
	if (a->class_priority != b->class_priority)
		return a->class_priority > b->class_priority;
	if (a->turn != b->turn)
		return a->turn < b->turn;
	if (a->priority != b->priority)
		return a->priority < b->priority;
	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us;
	return a->id < b->id;
}

/* The entry of a subqueue that stands at this job. */
struct head_entry head_entry_of(const struct model *m, uint32_t subqueue, uint32_t job);
/*
 * The subqueue gets this first job; NIL: none. The job that was its first must still have its values: it is
 * searched for by them.
 */
void head_list_change(struct model *m, uint32_t subqueue, uint32_t job);
/* The priorities of classes have changed: the order of all queues is made again. */
void head_list_forget_all(struct model *m);
/* At the beginning of a round: merges the loose subqueues into the array if there are many. */
void head_list_merge(struct model *m, struct queue *q);
void head_list_done(struct head_list *h);
