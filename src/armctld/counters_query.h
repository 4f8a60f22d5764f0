/* EFFECT_COUNTERS: adds what the controller counts (counters.h) to the rows of the core, and answers. */
#pragma once

#include "armctld/ctld.h"

void counters_query(struct ctld *c, const struct effect *e);
