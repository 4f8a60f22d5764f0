/* A machine that is being shut down: its node starts nothing more, and comes back when it has booted. */
#include "core/node.h"

void node_take_leaving(struct core *c, struct node *n, bool leaving)
{
	/* who is drained stays so: it is somebody's to resume, now and after the boot */
	if (leaving && node_next(n->state, NODE_EV_LEAVE) != n->state)
		node_event(c, n, NODE_EV_LEAVE, "the machine is being shut down", "armd");
}
