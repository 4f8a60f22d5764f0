/*
 * Applies the effects of the link.
 */
#pragma once

#include "armd/network/state.h"

/* Apply the effects of the last inputs, and set the timer. */
void network_apply_effects(struct network *n);
