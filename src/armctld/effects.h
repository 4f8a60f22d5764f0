/*
 * Applies effects of the core.
 */
#pragma once

#include "armctld/ctld.h"

void effects_apply(struct ctld *c, const struct effect *e);
