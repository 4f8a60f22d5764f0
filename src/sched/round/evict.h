/*
 * Eviction for fair share: which running gangs give up their nodes, in which order they are put back,
 * and which of them are preempted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct round;

/* The rows that a preempt plugin gets and its answer; and the evicted gangs, in order. */
struct evict_rows {
	uint32_t *queue, *node, *list;
	int64_t *priority, *start, *request;
	uint8_t *how;
	bool *evict;
	size_t cap;
};

struct evicted {
	struct evict_rows rows;
	uint32_t *table; /* gangs, in the order in which they would be put back */
	size_t table_count, table_cap;
};

/* Evict the gangs that the preempt plugin names, for fair share. */
void evict_for_balance(struct round *r);
/* Evict these gangs: their use leaves the levels above 0, and they are listed by row. */
void evict_gangs(struct round *r, const uint32_t *gangs, size_t count);
/* Make the table of the evicted gangs, unless it was made already. */
void evict_order_make(struct round *r);
/* After all queues were served: put back or preempt the evicted gangs that remain. */
void evict_finish(struct round *r);
