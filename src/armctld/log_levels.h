/*
 * LOG_LEVELS: reads and sets the levels of the log.
 */
#pragma once

#include "armctld/ctld.h"

/* EFFECT_LOG_LEVELS; text: the user who asks. */
void log_levels_query(struct ctld *c, const struct effect *e);
