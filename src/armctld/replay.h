/*
 * Passes the snapshot and the log to the core at startup.
 */
#pragma once

#include "armctld/ctld.h"

int replay_state(struct ctld *c, struct err *err);
