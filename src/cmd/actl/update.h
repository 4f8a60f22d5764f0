/*
 * actl update: jobs that wait ask for something else.
 */
#pragma once

#include "util/options.h"

extern const struct opt_table actl_update_options;

/* To be called once, before actl_update_options is read. */
void actl_update_prepare(void);

/* The words from the verb on. Returns 0, a negative errno with err, or an exit code. */
int actl_update(int argc, char **argv, struct err *err);
