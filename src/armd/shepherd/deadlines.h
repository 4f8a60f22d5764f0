/*
 * When a task is to be warned and ended: its time limit and the end of its lease, by CLOCK_BOOTTIME.
 */
#pragma once

#include "armd/shepherd/state.h"

/* When to begin to end the task so that nothing is left at the lease's end; 0: it has none. */
int64_t shepherd_lease_stop_us(const struct shepherd *s, int64_t *ret_grace_us);
/* The grace period of a kill order or of the task: at least a second. */
int64_t shepherd_grace_us(int64_t grace_ms);
/* The job's own signal before its time limit; 0: there is none (any more). */
int64_t shepherd_warn_us(const struct shepherd *s);
/* The time limit; 0: none. And the words of an end at it. */
int64_t shepherd_limit_us(const struct shepherd *s);
const char *shepherd_limit_text(const struct shepherd *s);
