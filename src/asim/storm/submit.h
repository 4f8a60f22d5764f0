/*
 * Submissions: jobs, arrays, groups of tasks, gangs of jobs and dependencies, as they are drawn.
 */
#pragma once

#include "asim/storm/client.h"

/* A new job, or the members of a gang of jobs. */
void sim_submit_new(struct storm *s);
/* Send the request, or send it again; it is retried until an id arrives. */
void sim_submit_send(struct storm *s, struct sim_job *j);
