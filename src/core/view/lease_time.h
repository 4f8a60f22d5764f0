/*
 * Leases as the controller counts them. The controller counts from the moment it last heard of the
 * node. The node counts from an earlier moment, when it stamped that message. The controller also
 * waits a margin longer, for clocks with different rates. So when a lease is over here, the
 * shepherd has already ended its task (agent/lease.h).
 *
 * The log contains only extensions. A controller that starts counts every lease and every extension
 * as if it had just heard of the node.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * The lease of a job's next attempt: its own, else its queue's, else the cluster's; or LEASE_NONE.
 */
int64_t lease_ms_of(const struct txn *txn, const struct job *j);
/* The lease of an element; 0: it has none. */
int64_t element_lease_us(const struct txn *txn, const struct element *e);
/* The steady time at which the lease of e on the node is over, with the margin; 0: no lease. */
int64_t lease_over_us(const struct txn *txn, const struct node *n, const struct element *e);
/* How long from now the extension still holds, for messages to the node. */
int64_t node_extension_ms(const struct txn *txn, const struct node *n);
/* The steady time at which the extension of a node's leases is over; 0: no extension. */
int64_t lease_extension_over_us(const struct txn *txn, const struct node *n);
/* How much longer than the node the controller waits, after the node counted counted_us. */
int64_t lease_margin_us(const struct txn *txn, int64_t counted_us);
