/*
 * The ends of leases and of their extensions, as time passes.
 */
#pragma once

#include "core/txn/txn.h"

/* Ends the extension if it is over, and the tasks whose lease is over (PROOF_LEASE). */
void node_leases_tick(struct txn *txn, const struct node *n);
