/*
 * Orders to nodes. Idempotent: a node that knows the key does nothing twice.
 */
#pragma once

#include "core/txn/txn.h"

/* The controller has just heard of the node: its leases count anew. */
void order_lease(struct txn *txn, const struct node *n);
void order_reboot(struct txn *txn, const struct node *n);
/* */
void order_launch_task(struct txn *txn, const struct task *t);
/* it may pass. */
void order_release_task(struct txn *txn, const struct task *t);
/* Run something more in it; the payload, whose digest is given, must live as long as the input. */
void order_step_task(struct txn *txn, const struct task *t, const ProtobufCBinaryData *payload,
		     const uint8_t digest[32]);
void order_kill_task(struct txn *txn, const struct task *t, Armada__EndCause cause);
/* Its node must be connected. */
void order_signal_task(struct txn *txn, const struct task *t, int sig, bool first_only);
/* Orders that the node has not confirmed, again. */
void orders_resend(struct txn *txn, const struct node *n, bool all);
