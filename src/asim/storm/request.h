/*
 * Requests about jobs. Those of the table of user.c get a job and a node, and may use neither.
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
/* A few steps in a job that runs, some of them as further layers of a step. */
void sim_request_steps(struct storm *s);
/* Ends a step, or sends it a signal, if there is one of the number that is drawn. */
void sim_request_signal_step(struct storm *s);
void sim_request_list_steps(struct storm *s);
/* NULL: all jobs of all users. */
void sim_request_hold(struct storm *s, const struct sim_job *j, bool release);
