/*
 * Snapshot and log, given to the core at the start.
 */
#pragma once

#include "armctld/ctld.h"

int replay_state(struct ctld *c, struct err *err);
