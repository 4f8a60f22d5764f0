/*
 * How long a job may run, and what it gets when that is over.
 *
 * A time limit is asked for with --time, or follows from the first that has a default: the job's queue,
 * its priority class, the cluster. None of the three may be exceeded where it has a maximum; a default
 * is cut to the least of them, a wish above it is refused. The result is written into the job's spec
 * with what it follows from, once: what is accepted stays accepted, whatever is reconfigured later.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Both, of a job that was accepted before and is changed now; what is not changed is not asked about
 * again. A limit that nobody asked for is settled anew where the job has moved; a warning that would come
 * before the start comes half-way. As above; a refusal may leave spec changed.
 */
struct time_limit_change {
	bool time;  /* time_limit_s is another */
	bool place; /* its queue, or its class */
	bool grace;
};

/*
 * Settle time_limit_s and time_limit_by from time_limit_s as it was asked for (0: not), for the queue
 * and class that spec names: at submission, and when a waiting job is updated. A queue that does not
 * exist (yet) says nothing. -EINVAL: err says which limit it is, and what would be accepted; spec has
 * not changed.
 */
int time_limit_settle(const struct txn *txn, Armada__JobSpec *spec, struct err *err);
int time_limit_update(const struct txn *txn, Armada__JobSpec *spec,
		      const struct time_limit_change *change, struct err *err);
/* The grace period, and the signal before the limit; after time_limit_settle. */
int time_limit_settle_end(const struct txn *txn, Armada__JobSpec *spec, struct err *err);
/* "10:00 (default of queue short)", for people. "": there is none. In the arena. */
const char *time_limit_words(const Armada__JobSpec *spec, struct arena *arena);
/* May a queue have these? 0: it has none. */
int time_limit_check_queue(int64_t default_s, int64_t max_s, struct err *err);
