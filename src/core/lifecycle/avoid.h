/*
 * A job is not started on nodes that failed it, or that it was taken from by their name, just now, for a
 * while: all of its elements alike.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * What the job of e avoids, and those of the named nodes that e is on, until then. A new list in the arena
 * of the input.
 */
Armada__Avoided **avoids_with(struct txn *txn, const struct element *e, char *const *nodes,
			      size_t node_count, int64_t until_us, size_t *ret_count);
/* Nodes whose time is over are avoided no more. */
void avoids_tick(struct txn *txn);
