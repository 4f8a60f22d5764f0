/*
 * The jobs whose dependencies must be checked, and when: a binary heap ordered by time, then by id.
 * An unnecessary entry costs only one check. O(log entries) for each call.
 */
#pragma once

#include "core/txn/live.h"

/* Check the job at this wall time, in place of any earlier setting; 0: at once. */
void dependency_timer_set(struct live *l, const struct job *j, int64_t at_us);
/* Sets the time unless the job is checked sooner. */
void dependency_timer_advance(struct live *l, const struct job *j, int64_t at_us);
void dependency_timer_cancel(struct live *l, struct job_live *j);
/* True if a job is due at now_us. */
bool dependency_timer_is_due(const struct live *l, int64_t now_us);
/* Take the first job that is due at now_us off the heap; 0: none. The job may have left memory. */
uint64_t dependency_timer_next(struct live *l, int64_t now_us);
