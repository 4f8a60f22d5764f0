/*
 * Eviction for fair share: which running gangs have to compete for their nodes again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct round;

/* The rows that a preempt plugin gets and its answer. */
struct evict_rows {
	uint32_t *queue, *members, *list;
	const uint32_t **nodes;
	int64_t *priority, *start, *request;
	uint8_t *how;
	bool *evict;
	size_t cap;
};

/* Evict the gangs that the preempt plugin names, for fair share. */
void evict_for_balance(struct round *r);
/* After all queues were served: put back the evicted gangs that were not served. */
void evict_finish(struct round *r);
