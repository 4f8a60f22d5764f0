/*
 * The state that a round passes on to the next: tokens, and the number that the fairness plugin
 * keeps for each queue. A dry run restores it.
 */
#pragma once

#include "util/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct sched;

/*
 * Token buckets: one token for each task started or preempted. The buckets of queues are in struct
 * queue.
 */
struct token_buckets {
	double start, preempt;
	int64_t filled_us;
	bool filled;
};

struct carryover;
struct carryover *carryover_keep(const struct sched *s, struct arena *a);
void carryover_restore(struct sched *s, const struct carryover *l);
