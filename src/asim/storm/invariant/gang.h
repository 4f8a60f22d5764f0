/*
 * Facts about gangs of jobs, for other invariants.
 */
#pragma once

#include "asim/storm/invariant/table.h"

/* NULL: the job is in no gang, or not in the records. */
const char *invariant_gang_of(const struct storm *s, uint64_t job);
