#include "asim/storm/health.h"
#include "asim/storm/ctl.h"
#include "core/state/state.h"

#include <string.h>

void sim_health_send(struct sim_node *n)
{
	link_health(n->link, n->unhealthy ? "health check: simulated failure" : "");
}

void sim_health_set(struct storm *s, struct sim_node *n, bool unhealthy)
{
	if (n->unhealthy == unhealthy)
		return;
	storm_trace(s, "%s: its health check %s", n->name, unhealthy ? "fails" : "passes again");
	n->unhealthy = unhealthy;
	if (n->up)
		sim_health_send(n);
}

bool sim_health_is_drained(const struct storm *s, const struct sim_node *n)
{
	const struct node *known = s->ctl->up ? node_find(core_state(s->ctl->core), n->name) : NULL;

	return known && known->state == ARMADA__NODE_STATE__NODE_DRAINED && known->reason_by &&
	       strcmp(known->reason_by, "health check") == 0;
}
