/*
 * What other invariants ask about gangs of jobs.
 */
#ifndef ASIM_STORM_INVARIANT_GANG_H
#define ASIM_STORM_INVARIANT_GANG_H

#include "asim/storm/invariant/table.h"

/* NULL: the job is of no gang, or no record tells of it. */
const char *invariant_gang_of(const struct storm *s, uint64_t job);

#endif
