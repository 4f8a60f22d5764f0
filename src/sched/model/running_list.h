/*
 * The running elements of each queue, in the order in which they would be put back. Kept from round
 * to round, so that a round sorts only the new ones.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

/* The running elements of a queue, the first `sorted` of them in order; some may have ended. */
struct running_list {
	struct running_entry {
		uint32_t task, serial;
	} * list;
	uint32_t count, sorted;
	size_t cap;
};

/* The fields that order the running gangs of a queue in one class. */
struct running_order {
	uint32_t job, element;
	int64_t start_us; /* INT64_MAX: started in this round, after all others */
};

void running_list_place(struct model *m, uint32_t task); /* make room for a task with this number */
void running_list_add(struct model *m, uint32_t task);
void running_list_drop(struct model *m, uint32_t task); /* it ended */
/* Turn, priority, start, submission, id: of two gangs of one class. Below 0: a first. */
int running_list_compare(const struct model *m, const struct running_order *a,
			 const struct running_order *b);
/* All running elements of the queue, in the order of their classes, then of running_list_compare. */
const struct running_list *running_list_sorted(struct model *m, uint32_t queue);
void running_list_forget(struct model *m, uint32_t queue); /* its order has changed */
void running_list_forget_all(struct model *m);             /* that of all */
