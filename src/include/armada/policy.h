/*
 * What all policy plugins (fairness, order, preempt, select) have in common.
 *
 * They are called by the one thread that runs a round, one call at a time. A handle is made once
 * and lives through many rounds; what a plugin keeps for the round in hand it takes in `begin` and
 * keeps in its handle. Only `open` and `begin` may allocate: everything else is called in the inner
 * loop, up to millions of times a second.
 *
 * Resources are int64 in the order of armada_policy.resources: cpu in millicores, memory in bytes,
 * all others in units. An allocation is one such vector; several are rows of one array, without
 * gaps. Queues are numbered from 0 in byte order of their names, for one round. Times are
 * microseconds since the epoch, and the only clock there is: a plugin reads no other, and draws
 * randomness from the seed it is given, or the round cannot be replayed.
 *
 * The host checks what comes back (finite numbers, indices that exist). A plugin that returns
 * anything else is named in the log, and the round decides nothing.
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
	const int64_t *allocated;   /* rows: what runs, before the round */
	const double *demand;       /* rows: what runs and what waits */
	const double *weights;      /* from fairness; NULL before it has said */
	const double *cost;         /* of allocated, not divided by weight; NULL likewise */
	const double *fair_share;   /* weight over the sum of the active queues' weights */
	const double *capped_share; /* the same with what others cannot use shared out */
};

#endif
