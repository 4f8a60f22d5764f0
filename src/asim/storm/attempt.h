/*
 * Shepherds: forked, ordered to kill their task or to release it. task.h has the task itself.
 */
#pragma once

#include "asim/storm/spool.h"

void sim_attempt_fork(struct storm *s, struct sim_node *n, struct sim_attempt *a);
void sim_attempt_kill(struct storm *s, struct sim_node *n, struct sim_attempt *a, uint32_t cause,
		      int64_t grace_ms);
/* The task may pass the start barrier. */
void sim_attempt_release(struct storm *s, struct sim_node *n, struct sim_attempt *a);
