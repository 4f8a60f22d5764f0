/*
 * What runs of each queue, in the order in which it would be put back. Kept from round to round, so that
 * a round sorts in only what came since the last.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

/* Those of a queue that run, the first `sorted` of them in its order; some ended meanwhile. */
struct running_list {
	struct running_entry {
		uint32_t task, serial;
	} * list;
	uint32_t count, sorted;
	size_t cap;
};

/* What decides which gang is put back first. */
struct running_order {
	uint32_t job, element, shape;
	int64_t start_us;
	bool fresh; /* started in this round: after all others of its class */
};

void running_list_place(struct model *m, uint32_t task); /* there may be one of this number */
void running_list_add(struct model *m, uint32_t task);
void running_list_drop(struct model *m, uint32_t task); /* it ended */
/* Class, running first, priority, start, submission. Below 0: a first. */
int running_list_compare(const struct model *m, const struct running_order *a,
			 const struct running_order *b);
/* All that run of the queue, in order. */
const struct running_list *running_list_sorted(struct model *m, uint32_t queue);
void running_list_forget(struct model *m, uint32_t queue); /* its order has changed */
void running_list_forget_all(struct model *m);             /* that of all */
