/*
 * The life of nodes, whoever caused what happens to them.
 */
#pragma once

#include "core/state/state_machine.h"
#include "core/txn/txn.h"

/* */
void node_event(struct txn *txn, const struct node *n, enum node_event ev, const char *reason,
		const char *by);
/* Drained, and whose words are these? */
bool node_is_drained_by(const struct node *n, const char *by);
uint64_t node_floor(const struct txn *txn, const struct node *n);
void node_did_well(struct txn *txn, const struct node *n);
/* It could not start the job, and that is nobody's fault but the node's; or it could. */
void node_failed(struct txn *txn, const struct node *n, uint64_t job, const char *text);
/* Does armada.conf let it join? */
bool node_is_expected(const struct txn *txn, const char *name);
/* What armada.conf expects of it, against what it has. */
void node_hold_to_promise(struct txn *txn, const struct node *n);
/* Silence, leases, fences, reboots: what has come of time. */
void node_look_at_clock(struct txn *txn, const struct node *n);
