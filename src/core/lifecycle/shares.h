/*
 * Shares of queues, noted now and then.
 *
 * A round tells how each queue stands. At most every share_interval the core makes what has changed
 * an event: the history keeps it (ashare --history), and the queue does, so that a scheduler that
 * begins anew recalls what the fairness plugin remembered, and for which time. What ran since the
 * note and has ended since is not part of that: it is the use of an interval at most. Once something
 * was not noted because it was too soon, a round is asked for as soon as it no longer is; and after
 * each interval while anything runs. An idle cluster notes nothing.
 *
 * A queue that takes no part any more is noted once more, with a weight of 0.
 */
#pragma once

#include "core/txn/txn.h"

/* A round is over: note what has changed, if it is time. */
void shares_round(struct txn *txn, const struct sched_result *r);
/* Time has passed: a round is wanted if there is something to note. */
void shares_tick(struct txn *txn);
