/*
 * Snapshot and log, given to the core at the start.
 */
#ifndef ARMCTLD_REPLAY_H
#define ARMCTLD_REPLAY_H

#include "armctld/ctld.h"

int replay_state(struct ctld *c, struct err *err);

#endif
