/*
 * Which jobs' dependencies are to be looked at, and when: a binary heap by time, then by id. To be in
 * it once too often only costs a look. O(log jobs in it) for each call.
 */
#pragma once

#include "core/txn/live.h"

/* At this wall time, whatever was said before; 0: at once. */
void dependency_timer_set(struct live *l, const struct job *j, int64_t at_us);
void dependency_timer_cancel(struct live *l, struct job_live *j);
/* Is anybody due by then? */
bool dependency_timer_is_due(const struct live *l, int64_t now_us);
/* The first that is due by then, which is due no more; 0: none is. It may have left memory. */
uint64_t dependency_timer_next(struct live *l, int64_t now_us);
