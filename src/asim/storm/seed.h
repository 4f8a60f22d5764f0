/*
 * The run of one seed: set up, so many steps with faults, then everything must drain, and the end is
 * checked.
 */
#ifndef ASIM_STORM_SEED_H
#define ASIM_STORM_SEED_H

#include "asim/storm/storm.h"

/* Returns 0, or 1 when an invariant was broken (it has been printed). */
int seed_run(const struct storm_options *opt);

#endif
