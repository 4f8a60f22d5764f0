/*
 * A machine that is shut down in good order and comes back. The ends of its tasks are reported in
 * time, or not.
 */
#pragma once

#include "asim/storm/node.h"

void sim_shutdown_begin(struct storm *s, struct sim_node *n);
/* armd reports it if its machine is being shut down. */
void sim_shutdown_send(struct storm *s, struct sim_node *n);
/*
 * The power goes off and kills all tasks that have not ended. Ends that were not reported are in
 * the spool.
 */
void sim_shutdown_off(struct storm *s, const struct sim_event *ev);
