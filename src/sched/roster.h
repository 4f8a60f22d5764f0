/*
 * Who runs of each queue, in the order in which they would be put back. Private to src/sched.
 */
#ifndef SCHED_ROSTER_H
#define SCHED_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sched;

/* Those of a queue that run, the first `sorted` of them in its order; some ended meanwhile. */
struct roster {
	struct standing {
		uint32_t task, serial;
	} * list;
	uint32_t count, sorted;
	size_t cap;
};

/* What decides who is put back first. */
struct place_in_line {
	uint32_t job, element, key;
	int64_t start_us;
	bool fresh; /* started in this round: after all others of its class */
};

void roster_place(struct sched *s, uint32_t task); /* there may be one of this number */
void roster_add(struct sched *s, uint32_t task);
void roster_drop(struct sched *s, uint32_t task); /* it ended */
/* Class, running first, priority, start, submission. Below 0: a first. */
int roster_compare(const struct sched *s, const struct place_in_line *a,
		   const struct place_in_line *b);
/* All that run of the queue, in order. */
const struct roster *roster_sorted(struct sched *s, uint32_t queue);
void roster_forget(struct sched *s, uint32_t queue); /* its order has changed */
void rosters_forget(struct sched *s);                /* that of all */

#endif
