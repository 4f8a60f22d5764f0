/*
 * What administrators do about nodes.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

void sim_admin_drain(struct storm *s, const struct sim_node *n, bool resume);
/* Only of machines that run nothing, whatever the controller believes. */
void sim_admin_confirm_dead(struct storm *s, const struct sim_node *n);
/* Labels, leases, a restart, or that it is dead. The job does not matter. */
void sim_admin_act(struct storm *s, const struct sim_job *j, const struct sim_node *n);
