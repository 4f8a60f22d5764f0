/*
 * The run of one seed: setup, steps with faults, drain, and the final checks.
 */
#pragma once

#include "asim/storm/storm.h"

/* Returns 0, or 1 if an invariant was violated (it has been printed). */
int seed_run(const struct storm_options *opt);
