/*
 * The ends of leases and of their extensions, as time passes.
 */
#ifndef CORE_LIFECYCLE_NODE_LEASE_H
#define CORE_LIFECYCLE_NODE_LEASE_H

#include "core/txn/txn.h"

void node_leases_tick(struct txn *txn, const struct node *n);

#endif
