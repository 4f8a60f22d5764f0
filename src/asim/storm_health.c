/* Nodes that are not well, and say so with their heartbeats. */
#include "asim/storm_parts.h"

#include "core/tables.h"

#include <string.h>

void node_say_health(struct storm_node *n)
{
	link_health(n->link, n->ill ? "health check: it has a cold" : "");
}

void node_turn_ill(struct storm *s, struct storm_node *n, bool ill)
{
	if (n->ill == ill)
		return;
	storm_trace(s, "%s: it is %s", n->name, ill ? "not well" : "well again");
	n->ill = ill;
	if (n->up)
		node_say_health(n);
}

bool node_is_drained_as_ill(const struct storm *s, const struct storm_node *n)
{
	const struct node *known = s->ctl.up ? core_find_node(s->ctl.core, n->name) : NULL;

	return known && known->state == ARMADA__NODE_STATE__NODE_DRAINED && known->reason_by &&
	       strcmp(known->reason_by, "health check") == 0;
}
