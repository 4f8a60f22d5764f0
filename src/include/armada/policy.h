/*
 * Rules for all policy plugins (fairness, order, preempt, select).
 *
 * One thread runs a round and calls the plugin, one call at a time. A handle is used for many
 * rounds. Data of one round is taken in `begin` and kept in the handle. Only `open` and `begin` may
 * allocate, because the other functions are called in the inner loop, up to millions of times a
 * second.
 *
 * Resources are int64 in the order of armada_policy.resources: cpu in millicores, memory in bytes,
 * all others in units. An allocation is one such vector; several allocations are rows of one array
 * without gaps. Queues are numbered from 0 in byte order of their names, for one round. Times are
 * microseconds since the epoch. A plugin must not read a clock, and must derive random numbers only
 * from the given seed; otherwise the round cannot be replayed.
 *
 * The host checks all results (finite numbers, indices that exist). After an invalid result the log
 * names the plugin, and the round decides nothing.
 */
#ifndef ARMADA_POLICY_H
#define ARMADA_POLICY_H

#include <armada/plugin.h>

struct armada_policy {
	const char *const
		*resources; /* [0] is "cpu", [1] "memory"; borrowed while the handle lives */
	size_t resource_count;
};

/* The queues of one round. Arrays are borrowed until the round ends; all have `count` rows. */
struct armada_queues {
	size_t count;
	const char *const *names;
	const double *factors;      /* priority factors, greater than 0 */
	const int64_t *allocated;   /* rows: resources of running jobs, before the round */
	const double *demand;       /* rows: resources of running and waiting jobs */
	const double *weights;      /* from the fairness plugin; NULL before its begin */
	const double *cost;         /* of allocated, not divided by weight; NULL as weights */
	const double *fair_share;   /* weight over the sum of the active queues' weights */
	const double *capped_share; /* the same, plus a part of what other queues cannot use */
};

#endif
