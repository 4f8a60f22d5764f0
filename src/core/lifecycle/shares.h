/*
 * Shares of queues, noted at intervals.
 *
 * A round computes the share of each queue. At most once in share_interval the core emits an event
 * with the changed values. The history stores it (ashare --history). The queue stores it too, so
 * that a restarted scheduler gets back the values and the time that the fairness plugin remembered.
 * Jobs that ran and ended after the note are missing from it: at most the use of one interval.
 *
 * When a round comes too early for a note, another round is requested as soon as the interval is
 * over. While any job runs, a round is requested after each interval. An idle cluster notes
 * nothing.
 *
 * A queue that takes no part any more is noted once more, with a weight of 0.
 */
#pragma once

#include "core/txn/txn.h"

/* Call after a round. Notes the changed values if the interval is over. */
void shares_round(struct txn *txn, const struct sched_result *r);
/* Call as time passes. Requests a round if there may be something to note. */
void shares_tick(struct txn *txn);
