/*
 * Submissions: jobs, arrays, groups of tasks, gangs of jobs and dependencies, as they are drawn.
 */
#pragma once

#include "asim/storm/client.h"

/* A new job, or the members of a gang of jobs. */
void sim_submit_new(struct storm *s);
/* The request leaves, once more if it left before; until an id was heard it is tried again. */
void sim_submit_send(struct storm *s, struct sim_job *j);
