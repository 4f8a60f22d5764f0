/*
 * What other invariants ask about gangs of jobs.
 */
#pragma once

#include "asim/storm/invariant/table.h"

/* NULL: the job is of no gang, or no record tells of it. */
const char *invariant_gang_of(const struct storm *s, uint64_t job);
