/*
 * Avoided nodes: for a limited time, a job is not started on nodes that could not start it, or on
 * nodes that a preempt request named. This holds for all elements of the job.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * The nodes that the job of e avoids, and the named nodes that e is on, until until_us. A new list
 * in the arena of the input.
 */
Armada__Avoided **avoids_with(struct txn *txn, const struct element *e, char *const *nodes,
			      size_t node_count, int64_t until_us, size_t *ret_count);
/* Removes the nodes whose time is over. */
void avoids_tick(struct txn *txn);
