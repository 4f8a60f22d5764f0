/*
 * Eviction for balance: which gangs have to stand in line again, in which order they come back, and
 * which of them do not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct round;

/* What a preempt plugin is shown, and what it says; and the evicted, in order. */
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

/* By the plugin's word, for balance. */
void evict_for_balance(struct round *r);
/* These lose their levels, and stand in the lists of their rows. */
void evict_gangs(struct round *r, const uint32_t *gangs, size_t count);
/* The table of those who were evicted, unless it was made already. */
void evict_order_make(struct round *r);
/* What is left of those evicted after everybody was served. */
void evict_finish(struct round *r);
