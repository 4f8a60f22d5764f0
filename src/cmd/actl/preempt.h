/*
 * actl preempt: what runs gives up its room.
 */
#pragma once

#include "util/options.h"

extern const struct opt_table actl_preempt_options;

/* The words from the verb on. Returns 0, a negative errno with err, or an exit code. */
int actl_preempt(int argc, char **argv, struct err *err);
