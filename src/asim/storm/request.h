/*
 * Requests about jobs. Each takes the job it is about and a node, as the table of user.c has them, and
 * may need neither.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

void sim_request_cancel(struct storm *s, const struct sim_job *j, const struct sim_node *n);
void sim_request_requeue(struct storm *s, const struct sim_job *j, const struct sim_node *n);
void sim_request_update(struct storm *s, const struct sim_job *j, const struct sim_node *n);
/* Somebody wants the room of this job, of the node, of a queue or of a class. */
void sim_request_preempt(struct storm *s, const struct sim_job *j, const struct sim_node *n);
/* For some task that runs. */
void sim_request_signal(struct storm *s, const struct sim_job *j, const struct sim_node *n);
void sim_request_step(struct storm *s, const struct sim_job *j, const struct sim_node *n);
/* NULL: all jobs of all users. */
void sim_request_hold(struct storm *s, const struct sim_job *j, bool release);
