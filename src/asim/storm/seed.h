/*
 * The run of one seed: set up, so many steps with faults, then everything must drain, and the end is
 * checked.
 */
#pragma once

#include "asim/storm/storm.h"

/* Returns 0, or 1 when an invariant was broken (it has been printed). */
int seed_run(const struct storm_options *opt);
