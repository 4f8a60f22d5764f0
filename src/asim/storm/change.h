/*
 * Requests that change what the tasks of a job are, and restart it if it runs. Replies are not awaited.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

/* The signature is that of request.h. */
void sim_change_template(struct storm *s, const struct sim_job *j, const struct sim_node *n);
