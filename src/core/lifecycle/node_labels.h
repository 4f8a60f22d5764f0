/*
 * Labels and taints of a node, in layers: what it says itself, what armada.conf says of it, and what
 * administrators have set by hand. Of one key the last word counts. NodeSet holds what holds, and the
 * first and the last layer, from which it is made anew.
 */
#pragma once

#include "core/txn/txn.h"

/* layers of labels and taints. m: as it registers; NULL: as it last did. */
void node_emit_set(struct txn *txn, const struct node *n, const Armada__RegisterNode *m);
/* Set or remove by hand; 0, or an error with a sentence. */
int node_may_relabel(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
		     struct err *err);
void node_relabel(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m);
