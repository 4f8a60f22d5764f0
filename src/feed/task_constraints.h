/*
 * Constraints of a single task of a running element: the scheduler knows it as a job of its own, and so
 * cannot know where the other tasks are.
 */
#pragma once

#include "feed/internal.h"

/* Excludes these nodes; entries may be NULL. For jobs whose tasks need distinct nodes. */
void task_shun_nodes(struct sched_feed *m, const char *const *nodes, size_t count,
		     struct sched_job *j);
/* Replaces the uniformity label by a selector for the value that the node has. */
void task_stay_uniform(struct sched_feed *m, const char *node, struct sched_job *j);
