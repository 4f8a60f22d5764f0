/*
 * The use of a queue, integrated over time.
 *
 * held: the resources of its tasks that may be running: each task that has a node and has not
 * ended, except those of pending leases. This is what node_used() adds up by node, so the sum over
 * the queues is the sum over the nodes. A suspended, preempted or silent task counts until its end
 * is proved. Of floating resources, held has those of active elements (state/floating.h).
 *
 * A struct use_sum is the integral of held from from_us to until_us, in units of each resource
 * times microseconds: millicores, bytes and units (gpus). It is exact: integers of 128 bits, and the
 * times of the records, which are the same in a replay. 2^63 of a unit for 100,000 years fit. Each
 * change of held costs O(resources).
 *
 * `open` begins with the first change after the last note (state/share_note.h): until then held did
 * not change, and the note says what it was. When a controller begins an epoch, what happened since
 * the last record before is not known: the sum until that record becomes `before`, and open begins
 * anew. core/lifecycle/shares.h turns both into samples.
 */
#pragma once

#include "core/state/link.h"
#include "core/state/resource.h"

struct queue;
struct state;

struct use_sum {
	__int128 sum[CORE_RESOURCES];
	int64_t from_us, until_us;
};

/* The open integral, extended to now_us. now_us is not before the last change of held. */
struct use_sum queue_use_open(const struct queue *q, int64_t now_us);
/* For a snapshot. */
void queue_use_give(const struct queue *q, struct arena *a, Armada__SnapQueue *m);

#ifdef STATE_WRITES
/*
 * The queue begins (sign 1) or ceases (-1) to hold the resources of a task, or the floating resources
 * of an element, at the time of the record. each NULL: none.
 */
void queue_use_change(struct state *state, struct queue *q, const struct resources *each, int sign);
/* The queue holds the resources by a snapshot, whose sums contain them. each NULL: none. */
void queue_use_restore(struct queue *q, const struct resources *each);
/* The share was noted: open begins anew with the next change. */
void queue_use_noted(struct queue *q, int64_t now_us);
/* The sum until the restart was noted. */
void queue_use_noted_before(struct queue *q);
/* A controller begins an epoch at now_us. The last record before it is of before_us. */
void queue_use_epoch(struct queue *q, int64_t before_us, int64_t now_us);
/* From a snapshot. */
void queue_use_take(struct queue *q, const Armada__SnapQueue *m);
#endif
