/*
 * Effects of the core, carried out.
 */
#ifndef ARMCTLD_EFFECTS_H
#define ARMCTLD_EFFECTS_H

#include "armctld/ctld.h"

void effect_out(struct ctld *c, const struct effect *e);

#endif
