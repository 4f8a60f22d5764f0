/*
 * The minimum of a job specification: the tasks that must start together and remain good.
 *
 * A job has one minimum for all its tasks (min_available of the job), or each group has its own. If one group
 * names a minimum, a group without one needs all its tasks, and the minimum of the job is the sum. With one
 * minimum the order of the groups decides which tasks of an elastic job start first. With a minimum for each
 * group the first tasks of each group do.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

/* True if the groups of the job have minima of their own. */
bool group_minima(const Armada__JobSpec *spec);
/* The minimum of the group; 0: the groups have none of their own. */
uint32_t group_minimum_of(const Armada__JobSpec *spec, size_t group);
/* The sum of the minima of the groups. */
uint64_t group_minima_sum(const Armada__JobSpec *spec);
/* The tasks of the group that start together: of an elastic job those of its minimum, else all. */
uint32_t group_together(const Armada__JobSpec *spec, size_t group);
