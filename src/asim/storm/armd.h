/*
 * armd while it runs: it starts with what its spool holds, and passes messages, connections and time to
 * its link.
 */
#pragma once

#include "asim/storm/node.h"

void sim_armd_start(struct storm *s, const struct sim_event *ev);
/* A message came, a connection was made or broke, or its time has come. */
void sim_armd_receive(struct storm *s, const struct sim_event *ev);
/* After every turn: reports that came together leave together, and the next tick is planned. */
void sim_armd_step(struct storm *s, struct sim_node *n);
