/*
 * Requests about jobs. Each gets a job and a node, because the table of user.c has one signature,
 * and may use neither.
 */
#pragma once

#include "asim/storm/client.h"
#include "asim/storm/node.h"

void sim_request_cancel(struct storm *s, const struct sim_job *j, const struct sim_node *n);
void sim_request_requeue(struct storm *s, const struct sim_job *j, const struct sim_node *n);
void sim_request_update(struct storm *s, const struct sim_job *j, const struct sim_node *n);
/* A user preempts this job, or the jobs on the node, of a queue or of a class. */
void sim_request_preempt(struct storm *s, const struct sim_job *j, const struct sim_node *n);
/* Sends a signal to a running task. */
void sim_request_signal(struct storm *s, const struct sim_job *j, const struct sim_node *n);
void sim_request_step(struct storm *s, const struct sim_job *j, const struct sim_node *n);
/* NULL: all jobs of all users. */
void sim_request_hold(struct storm *s, const struct sim_job *j, bool release);
