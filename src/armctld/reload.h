/*
 * Reads armada.conf again while the controller runs.
 */
#pragma once

#include "armctld/ctld.h"

/* dry_run: only report what would change. conn 0: no client waits for the answer. */
void reload_begin(struct ctld *c, uint64_t conn, uint32_t request, bool dry_run);
/* Give the log the level, the form and the limits of the present configuration. */
void reload_log(struct ctld *c);
