/*
 * The sentence about a queue or node that a request names and that does not exist, with the nearest
 * name that does. Every caller may list queues and nodes, also in a private cluster.
 */
#pragma once

#include "core/txn/txn.h"

/* In the arena of the input. */
const char *no_such_queue(const struct txn *txn, const char *name);
const char *no_such_node(const struct txn *txn, const char *name);
