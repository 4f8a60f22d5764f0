/*
 * The state of nodes, for all causes of changes: requests, reports and time.
 */
#pragma once

#include "core/state/state_machine.h"
#include "core/txn/txn.h"

/* Applies an event to the node. reason, by: text and author of the change. */
void node_event(struct txn *txn, const struct node *n, enum node_event ev, const char *reason,
		const char *by);
/* True if the node is drained and `by` is the author of the reason. */
bool node_is_drained_by(const struct node *n, const char *by);
/* The node started a task, or was resumed: its count of failures begins anew. */
void node_did_well(struct txn *txn, const struct node *n);
/*
 * The node could not start the job, by its own fault. It is drained after too many jobs in a row.
 */
void node_failed(struct txn *txn, const struct node *n, uint64_t job, const char *text);
/* True if armada.conf allows a node of this name to join. */
bool node_is_expected(const struct txn *txn, const char *name);
/*
 * Drains the node if it has less than its armada.conf entry says, or has no entry but needs one.
 * Resumes a node that was drained for this reason if the reason is gone.
 */
void node_check_minimum(struct txn *txn, const struct node *n);
/* Effects of time: silence, ends of leases and extensions, the fence program. */
void node_look_at_clock(struct txn *txn, const struct node *n);
