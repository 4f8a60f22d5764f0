/*
 * What other invariants ask about the tasks of elements.
 */
#pragma once

#include "asim/storm/invariant/table.h"

/* Has this task failed, and the element goes on all the same? */
bool invariant_group_does_without(struct storm *s, uint64_t job, uint32_t element, uint32_t rank);
/* Of its group. */
int invariant_group_cpus(struct storm *s, const struct task_key *key);
