/*
 * The ends of leases and of their extensions, as time passes.
 */
#pragma once

#include "core/txn/txn.h"

void node_leases_tick(struct txn *txn, const struct node *n);
