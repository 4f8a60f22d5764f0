/* Runs a seed of the storm of several controllers. */
#pragma once

#include "asim/replicated/world.h"

/* Prints a line, and the end of the trace after a violation. 1: it failed; 2: the plugin cannot be used. */
int replicated_run(const struct replicated_options *opt);
