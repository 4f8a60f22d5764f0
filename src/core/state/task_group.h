/*
 * Groups of tasks: a job whose tasks are not alike.
 *
 * A spec has one group, of which everything is said in the spec itself, or several, each with its own
 * number of tasks, resources, command, and constraints besides those of the job. Ranks count through
 * the groups in their order, and so do the members of the job in the scheduler.
 */
#pragma once

#include "proto/msg.h"

/*
 * The job as if this group were all of it: named like the group, and all of it must start. Made in
 * the arena; borrows from the spec.
 */
Armada__JobSpec *group_view(const Armada__JobSpec *spec, size_t group, struct arena *a);

/* What the group asks of nodes is asked by the job too. */
void group_add_constraints(Armada__JobSpec *s, const Armada__TaskGroup *g, struct arena *a);
/* Variables are for the job's owner only, like the environment that was taken along. */
Armada__JobSpec *spec_without_env(const Armada__JobSpec *spec, struct arena *a);
