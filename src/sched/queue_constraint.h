/* What the jobs of a queue select in addition to their own selectors. */
#pragma once

#include "sched/sched.h"

/* Replaces the earlier selectors. Waiting jobs are placed by them from now on; running ones stay. O(jobs). */
void sched_queue_constraint(struct sched *s, const char *name,
			    const struct sched_selector *selectors, size_t count);
