/*
 * A machine that is being shut down: its node starts nothing more, and comes back when it has booted.
 */
#pragma once

#include "core/txn/txn.h"

/* it says, or does not, that its machine is being shut down: nothing is started there. */
void node_take_leaving(struct txn *txn, const struct node *n, bool leaving);
