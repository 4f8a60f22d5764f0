/*
 * The scheduler's thread.
 *
 * It owns a sched and its mirror. Records go in as the core emits them and are folded here; when
 * something changed that a round might use, a round runs, at most one in every cycle period, and
 * its result goes back to the loop. The next round waits until the records that the result caused
 * have been folded, so no decision is made twice.
 */
#ifndef ARMCTLD_ROUNDS_H
#define ARMCTLD_ROUNDS_H

#include "core/mirror.h"
#include "sched/sched.h"

struct event_base;
struct rounds;

struct rounds_config {
	int64_t cycle_period_us, max_round_us; /* max_round_us 0: no limit */
	uint64_t seed;
};

/* result is borrowed for the call, which gives the records that follow to rounds_record. */
typedef void rounds_result_fn(void *arg, const struct sched_result *result);

/* Takes s and m, filled. */
struct rounds *rounds_new(struct event_base *base, struct sched *s, struct mirror *m,
			  const struct rounds_config *config, rounds_result_fn *result, void *arg);
/* A round under way is cut short; its result is dropped. */
void rounds_free(struct rounds *r);
/* A packed Record, copied. */
void rounds_record(struct rounds *r, const void *record, size_t len);
void rounds_wanted(struct rounds *r);

#endif
