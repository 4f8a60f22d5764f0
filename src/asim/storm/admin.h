/*
 * The actions of administrators on nodes.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

void sim_admin_drain(struct storm *s, const struct sim_node *n, bool resume);
/* Does so only for a machine that runs nothing, whatever the controller believes. */
void sim_admin_confirm_dead(struct storm *s, const struct sim_node *n);
/* One of: labels, leases, a restart, or confirm dead. The job is not used. */
void sim_admin_act(struct storm *s, const struct sim_job *j, const struct sim_node *n);
