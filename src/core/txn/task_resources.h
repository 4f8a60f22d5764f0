/*
 * The resources of a task as its node limits them.
 *
 * They are those that the job requests, except for the memory of a job that asked for all memory of
 * its nodes (whole_memory in JobSpec): each of its tasks gets an equal part of the node's memory.
 */
#pragma once

#include "core/state/state.h"

/* The list, in the arena. */
Armada__Resource **task_resources(const struct task *t, const Armada__JobSpec *spec,
				  struct arena *a, size_t *ret_count);
/* The memory of the nodes of such an element. */
int64_t task_resources_memory(const struct element *e);
