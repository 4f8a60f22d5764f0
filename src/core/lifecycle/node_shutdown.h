/*
 * Shutdown of a machine: nothing more is started on its node, which returns when it has booted.
 */
#pragma once

#include "core/txn/txn.h"

/* leaving: the node reported that its machine is being shut down. */
void node_take_leaving(struct txn *txn, const struct node *n, bool leaving);
