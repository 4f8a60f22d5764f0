/*
 * Task groups: a job whose tasks are not all alike.
 *
 * A spec has one group, which the spec itself describes, or several. Each of several groups has its
 * own number of tasks, resources, command, and constraints in addition to those of the job. Ranks
 * count through the groups in their order, and so do the members of the job in the scheduler.
 */
#pragma once

#include "proto/msg.h"

/*
 * The job as if it had only this group: with the name of the group, and all of its tasks must
 * start. Made in the arena; borrows from the spec.
 */
Armada__JobSpec *group_view(const Armada__JobSpec *spec, size_t group, struct arena *a);

/* Add the group's constraints on nodes to those of the job. */
void group_add_constraints(Armada__JobSpec *s, const Armada__TaskGroup *g, struct arena *a);
/* The spec without variables: only the job's owner may see them, like the submitted environment. */
Armada__JobSpec *spec_without_env(const Armada__JobSpec *spec, struct arena *a);
