/*
 * When a task is warned and ended: its time limit and the end of its lease, by CLOCK_BOOTTIME.
 */
#pragma once

#include "armd/shepherd/state.h"

/*
 * When to start ending the task so that no process is left at the end of the lease; 0: it has no
 * lease.
 */
int64_t shepherd_lease_stop_us(const struct shepherd *s, int64_t *ret_grace_us);
/* The grace period of a kill order or of the task: at least a second. */
int64_t shepherd_grace_us(int64_t grace_ms);
/* When to send the job's own signal before its time limit; 0: never, or already sent. */
int64_t shepherd_warn_us(const struct shepherd *s);
/* When the time limit ends, 0: never; and the text of an end at the time limit. */
int64_t shepherd_limit_us(const struct shepherd *s);
const char *shepherd_limit_text(const struct shepherd *s);
