/*
 * Shepherds: forked, told to kill their task or to let it run. What becomes of the task is task.h.
 */
#pragma once

#include "asim/storm/spool.h"

void sim_attempt_fork(struct storm *s, struct sim_node *n, struct sim_attempt *a);
void sim_attempt_kill(struct storm *s, struct sim_node *n, struct sim_attempt *a, uint32_t cause,
		      int64_t grace_ms);
/* The gate opens for it. */
void sim_attempt_release(struct storm *s, struct sim_node *n, struct sim_attempt *a);
