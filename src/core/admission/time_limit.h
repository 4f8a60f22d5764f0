/*
 * The time limit of a job, its grace period, and the signal before the limit.
 *
 * A time limit is set with --time. Otherwise the first default applies: of the job's queue, of its
 * priority class, of the cluster. Each of the three may have a maximum. A default is cut to the
 * least maximum; a requested limit above it is refused. The result and its origin are written into
 * the job's spec once: a later reconfiguration does not change accepted jobs.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * A change of an accepted job, for time_limit_update(). Values that are not changed are not checked
 * again. If the job moved, a limit that the user did not set is settled again. A signal that would
 * come before the start comes after half of the time. A refusal may leave spec changed.
 */
struct time_limit_change {
	bool time;  /* time_limit_s has changed */
	bool place; /* the queue or the class has changed */
	bool grace;
	bool free; /* no maximum applies to the time limit */
};

/*
 * Settles time_limit_s and time_limit_by from the requested time_limit_s (0: none), for the queue
 * and class that spec names: at submission, and when a waiting job is updated. A queue that does
 * not exist has no values. -EINVAL: err names the limit and the accepted value; spec has not
 * changed.
 */
int time_limit_settle(const struct txn *txn, Armada__JobSpec *spec, struct err *err);
int time_limit_update(const struct txn *txn, Armada__JobSpec *spec,
		      const struct time_limit_change *change, struct err *err);
/* Settles the grace period and the signal before the limit. Call after time_limit_settle(). */
int time_limit_settle_end(const struct txn *txn, Armada__JobSpec *spec, struct err *err);
/* The words for a limit that was lowered for a start. In the arena. */
const char *time_limit_lowered(const Armada__JobSpec *spec, int64_t limit_s, struct arena *arena);
/* "10:00 (default of queue short)", for people. "": no limit. In the arena. */
const char *time_limit_words(const Armada__JobSpec *spec, struct arena *arena);
/* Checks the times of a queue. A time of 0: none. */
int time_limit_check_queue(int64_t default_s, int64_t max_s, struct err *err);
