/*
 * Orders to nodes. Orders are idempotent: a node that knows the key does nothing twice.
 */
#pragma once

#include "core/txn/txn.h"

/* Renews the leases on a node after a message from it. */
void order_lease(struct txn *txn, const struct node *n);
void order_reboot(struct txn *txn, const struct node *n);
/* Launch: set up the task and, behind a start barrier, wait for its release. */
void order_launch_task(struct txn *txn, const struct task *t);
/* Release: the task may pass the start barrier. */
void order_release_task(struct txn *txn, const struct task *t);
/*
 * Runs a step in the task. digest: of the payload, which must live as long as the input. number: of
 * order_step_number().
 */
void order_step_task(struct txn *txn, const struct task *t, const ProtobufCBinaryData *payload,
		     const uint8_t digest[32], uint64_t number);
void order_kill_task(struct txn *txn, const struct task *t, Armada__EndCause cause);
/* Settings: the time limit, and whether the task is suspended, as they are now. */
void order_settings_task(struct txn *txn, const struct task *t);
/*
 * Lets a node read an output file, of a task that runs there or has run there. The number, by which the node
 * answers, grows within the epoch. The node must be connected.
 */
uint64_t order_read_output(struct txn *txn, const struct node *n, const struct task_key *key,
			   const Armada__OutputOrder *m);
/* Sends a signal once. The task's node must be connected. */
void order_signal_task(struct txn *txn, const struct task *t, int sig, bool first_only);
/* The same for a step of the task; sig 0: the step is ended. number: of order_step_number(). */
void order_signal_step(struct txn *txn, const struct task *t, int sig, uint64_t number);
/* Repeats the orders that the node has not confirmed. all: also those that were sent just now. */
void orders_resend(struct txn *txn, const struct node *n, bool all);
