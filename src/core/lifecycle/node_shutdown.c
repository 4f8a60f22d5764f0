#include "core/lifecycle/node_shutdown.h"

#include "core/lifecycle/node_life.h"

void node_take_leaving(struct txn *txn, const struct node *n, bool leaving)
{
	/* a drained node stays drained: an administrator resumes it, now or after the boot */
	if (leaving && node_next(n->state, NODE_EV_LEAVE) != n->state)
		node_event(txn, n, NODE_EV_LEAVE, "the machine is being shut down", "armd");
}
