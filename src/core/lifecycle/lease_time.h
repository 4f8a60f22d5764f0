/*
 * Leases as the controller counts them. It begins when it last heard of the node, the node earlier:
 * when it stamped what was heard. And it waits longer, by a margin for clocks that do not run alike.
 * So when a lease is over here, the shepherd that holds it has ended its task (agent/lease.h).
 *
 * Nothing of this is in the log but extensions: a controller that begins counts every lease, and
 * every extension, as if it had heard of the node just then.
 */
#pragma once

#include "core/txn/txn.h"

/* Steady time; 0: its tasks have no such time. */
int64_t lease_ms_of(const struct txn *txn, const struct job *j);
int64_t element_lease_us(const struct txn *txn, const struct element *e);
int64_t lease_over_us(const struct txn *txn, const struct node *n, const struct element *e);
/* How much longer leases hold than now, by an extension; for the node. */
int64_t node_extension_ms(const struct txn *txn, const struct node *n);
/* When the extension of the leases of a node is over; 0: there is none. */
int64_t lease_extension_over_us(const struct txn *txn, const struct node *n);
/* How much longer the controller waits than the node, which counted so much. */
int64_t lease_margin_us(const struct txn *txn, int64_t counted_us);
