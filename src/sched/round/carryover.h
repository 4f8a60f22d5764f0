/*
 * What a round leaves to the next: tokens, and what the fairness plugin remembers of queues. A round that
 * does not count puts it back.
 */
#pragma once

#include "util/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct sched;

/* Buckets of tokens, one for each task started or preempted; those of queues are in the queues. */
struct token_buckets {
	double start, preempt;
	int64_t filled_us;
	bool filled;
};

struct carryover;
struct carryover *carryover_keep(const struct sched *s, struct arena *a);
void carryover_restore(struct sched *s, const struct carryover *l);
