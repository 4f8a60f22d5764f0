/*
 * The division of the tasks of a job among its nodes.
 *
 * A member is one or more tasks that share a node; ranks count through the members in their order.
 * All members have the same number of tasks, unless the tasks cannot be divided evenly among the
 * nodes (nodes without tasks_per_node): then the first `larger` members have one task more.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

struct task_division {
	uint32_t members, each, larger;
};

/* Of a job with one group of tasks. */
struct task_division task_division_of(const Armada__JobSpec *spec);
/* True if no other job may use the nodes of the job, because it asks for that or for all memory. */
bool job_spec_alone(const Armada__JobSpec *spec);
/*
 * True if tasks beyond its minimum start in the running job when there is room. Only min_available
 * tasks start together then.
 */
bool job_spec_is_elastic(const Armada__JobSpec *spec);
/* The member that a rank belongs to. */
uint32_t task_division_member(const struct task_division *d, uint32_t rank);
