/*
 * What the link asks for, done.
 */
#ifndef ARMD_NETWORK_EFFECTS_H
#define ARMD_NETWORK_EFFECTS_H

#include "armd/network/state.h"

/* Carry out what the last inputs asked for, and set the timer anew. */
void network_settle(struct network *n);

#endif
