#include "asim/storm/fence.h"
#include "asim/storm/ctl.h"
#include "asim/storm/node.h"

#include <string.h>

void sim_fence_begin(struct storm *s, const char *name, uint64_t seq)
{
	struct sim_event ev = {.kind = SIM_FENCE, .life = s->ctl->life, .conn = seq};

	while (strcmp(s->nodes[ev.node].name, name) != 0)
		ev.node++;
	storm_plan(s, storm_random(s, 5000000), ev);
}

/* It may fail before or after it has cut the power. Its report comes later still. */
void sim_fence_act(struct storm *s, const struct sim_event *ev)
{
	struct sim_node *n = &s->nodes[ev->node];
	struct sim_event said = *ev;

	said.kind = SIM_FENCED;
	said.at_us = s->now_us + (int64_t)storm_random(s, 90000000);
	said.number = storm_random(s, 3) != 0;
	said.body = NULL;
	if (said.number || storm_random(s, 2)) {
		s->count.fenced++;
		sim_node_reboot(s, n);
	}
	sim_event_put(&s->events, &said);
}
