/*
 * Shares of queues, noted at intervals.
 *
 * At most once in share_interval, after a round, the core emits an event with samples of the queues
 * whose values changed. The history stores them (ashare --history). The queue stores its last one
 * too, so that a restarted scheduler gets back the values and the time that the fairness plugin
 * remembered.
 *
 * A sample covers the time from the first change of what the queue uses after the sample before
 * (from_us) until now (time_us). Before from_us the use was that of the sample before (its level).
 * The state integrates the use exactly: see core/state/queue_use.h for what counts, the units and
 * the times. The integral, divided by the time, is the mean amount of each resource. The sample has
 * the cost of this mean: the fairness plugin computes it with the totals of the round that comes
 * first after the time. For a plugin whose cost is a sum over the resources, this is the mean of
 * the cost. For dominant resource fairness it is that too, unless another resource becomes the
 * dominant one within the time; then it is the dominant share of the mean use, which is less than
 * the mean of the dominant shares.
 *
 * When a round comes too early for a note, another round is requested as soon as the interval is
 * over. While any job runs, a round is requested after each interval. An idle cluster notes
 * nothing. A queue that takes part is noted once in SHARES_REFRESH_US even without a change, so that
 * a reader finds its level without reading the whole history. A queue that takes no part any more is
 * noted once more, with a weight of 0.
 *
 * A restart: what the log has until its last record is noted as a sample of its own, which says
 * that nothing is known after it. The next one begins with the epoch. So that the last record is
 * recent, an event without samples is emitted if the log had none for an interval while jobs run.
 * For the length of node_timeout after a start no share is noted while a node that is up has not
 * come back, because the cluster would seem smaller than it is.
 */
#pragma once

#include "core/txn/txn.h"

#define SHARES_REFRESH_US INT64_C(3600000000)

/* Call after a round. Notes the changed values if the interval is over. */
void shares_round(struct txn *txn, const struct sched_result *r);
/* Call as time passes. Requests a round if there may be something to note. */
void shares_tick(struct txn *txn);
