/*
 * What the link asks for, done.
 */
#pragma once

#include "armd/network/state.h"

/* Carry out what the last inputs asked for, and set the timer anew. */
void network_apply_effects(struct network *n);
