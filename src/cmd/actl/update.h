/*
 * actl update: change jobs.
 */
#pragma once

#include "util/options.h"

extern const struct opt_table actl_update_options;

/* Makes actl_update_options; call it once before they are used. */
void actl_update_prepare(void);

/* argv begins with the verb. Returns 0, a negative errno with err, or an exit code. */
int actl_update(int argc, char **argv, struct err *err);
