/*
 * An administrator changes queues during the run: factors, cordons, limits, rights, defaults. Now
 * and then a request names a user who does not exist; then no queue of it is changed.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

/* Change one or two queues. The job and the node are not used. */
void sim_queue_update(struct storm *s, const struct sim_job *j, const struct sim_node *n);
