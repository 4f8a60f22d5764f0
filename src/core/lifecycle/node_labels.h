/*
 * Labels and taints of a node, in three layers: the node's own, those of armada.conf, and those set
 * by administrators. For each key the last layer counts. NodeSet contains the merged result, and
 * the first and last layer, from which the result is computed again.
 */
#pragma once

#include "core/txn/txn.h"

/* Emits the merged layers if they changed. m: the registration; NULL: the last one. */
void node_emit_set(struct txn *txn, const struct node *n, const Armada__RegisterNode *m);
/* Takes how the node's tasks get their cpus, of a heartbeat; "": as before. */
void node_take_cpus(struct txn *txn, const struct node *n, const char *text);
/* Checks a change by an administrator: 0, or a negative errno with a sentence in err. */
int node_may_relabel(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
		     struct err *err);
void node_relabel(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m);
