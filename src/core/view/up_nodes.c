#include "core/view/up_nodes.h"

const struct up_nodes *up_nodes(const struct txn *txn)
{
	struct up_nodes *up = &txn->live->up_nodes;

	if (up->counted && up->seq == txn->state->seq)
		return up;
	*up = (struct up_nodes){.counted = true, .seq = txn->state->seq};
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		if (n->state != ARMADA__NODE_STATE__NODE_UP)
			continue;
		up->count++;
		up->linked += n->linked;
		up->registered += live_node(txn->live, n)->registered;
	}
	return up;
}
