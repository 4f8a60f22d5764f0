/*
 * Passes the snapshot and the log to the core at startup.
 */
#pragma once

#include "armctld/ctld.h"

/*
 * One record that follows the state: of the log at the start, or of a leader that this controller
 * follows.
 */
int replay_record(struct ctld *c, uint64_t seq, const void *data, size_t len, struct err *err);
int replay_state(struct ctld *c, struct err *err);
