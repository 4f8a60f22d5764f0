/*
 * armd while it runs: it starts with the contents of its spool, and passes messages, connections
 * and time to its link.
 */
#pragma once

#include "asim/storm/node.h"

void sim_armd_start(struct storm *s, const struct sim_event *ev);
/* A message, a connection that opened or closed, or a tick. */
void sim_armd_receive(struct storm *s, const struct sim_event *ev);
/*
 * After each event: reports that arrived together are sent together, and the next tick is planned.
 */
void sim_armd_step(struct storm *s, struct sim_node *n);
