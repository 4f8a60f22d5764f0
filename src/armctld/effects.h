/*
 * Effects of the core, carried out.
 */
#pragma once

#include "armctld/ctld.h"

void effect_out(struct ctld *c, const struct effect *e);
