/*
 * Facts about the tasks of elements, for other invariants.
 */
#pragma once

#include "asim/storm/invariant/table.h"

/* Has this task failed, while the element continues without it? */
bool invariant_group_does_without(struct storm *s, uint64_t job, uint32_t element, uint32_t rank);
/* The cpus of a task of its group. */
int invariant_group_cpus(struct storm *s, const struct task_key *key);
