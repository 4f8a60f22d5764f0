/*
 * A machine that is shut down in good order and comes back; its tasks are told of in time, or not.
 */
#pragma once

#include "asim/storm/node.h"

void sim_shutdown_begin(struct storm *s, struct sim_node *n);
/* armd says so, if its machine is being shut down. */
void sim_shutdown_send(struct storm *s, struct sim_node *n);
/* The power is off: what has not ended by now is killed by that, what was not told is in the spool. */
void sim_shutdown_off(struct storm *s, const struct sim_event *ev);
