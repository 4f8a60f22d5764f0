/*
 * The round in hand. Private to src/sched.
 *
 * Rows are the queues that take part, in order of their names. Everything here lives in the arena
 * of the result or in scratch of the sched that the round leaves as it found it.
 */
#ifndef SCHED_ROUND_H
#define SCHED_ROUND_H

#include "sched/parts.h"

struct round {
	struct sched *s;
	const struct sched_round *in;
	struct sched_result *result;
	struct arena *arena;
	const char *fault;

	uint32_t *queue; /* of each row */
	struct armada_queues view;
	int64_t *totals;
	int64_t *allocated; /* rows; grows as gangs are placed */
	double *weights, *capped;
	struct armada_order_head *heads;
	uint32_t *live; /* rows with a head: a heap, or a list for a plugin that picks */
	size_t live_count;
};

/* view.c: ranks the queues, asks the fairness plugin, computes the shares. */
void round_view(struct round *r);
/* A cost as the plugin says it, checked. */
double round_cost(struct round *r, const int64_t *allocated);

/* head.c: the lanes of a row as a heap, and the head of the row. */
void head_begin(struct round *r);
/* Find the row's next gang and what it would cost; false: it has none. */
bool head_find(struct round *r, uint32_t row);
/* The lane that the head came from. */
uint32_t head_lane(const struct round *r, uint32_t row);
/* Its gang was placed: the next element, or the next job. */
void head_taken(struct round *r, uint32_t row);
/* Tell a job why it waits, if that is news. of_key: because its key does not fit. */
void round_reason(struct round *r, uint32_t job, const char *text, bool of_key);

#endif
