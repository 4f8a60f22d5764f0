/*
 * Unhealthy nodes, which report it with their heartbeats.
 */
#pragma once

#include "asim/storm/node.h"

void sim_health_send(struct sim_node *n);
void sim_health_set(struct storm *s, struct sim_node *n, bool unhealthy);
/* Did the controller drain the node because of its health? */
bool sim_health_is_drained(const struct storm *s, const struct sim_node *n);
