/*
 * An administrator changes queues while jobs come and go: factors, cordons, limits, who may do what,
 * defaults. Now and then one of them names somebody who is not there: then none is changed.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

/* One or two queues become something else. Neither the job nor the node matters. */
void sim_queue_update(struct storm *s, const struct sim_job *j, const struct sim_node *n);
