/*
 * actl preempt: preempt running jobs.
 */
#pragma once

#include "util/options.h"

extern const struct opt_table actl_preempt_options;

/* argv begins with the verb. Returns 0, a negative errno with err, or an exit code. */
int actl_preempt(int argc, char **argv, struct err *err);
