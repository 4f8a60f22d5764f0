/*
 * actl update: change jobs.
 */
#pragma once

#include "util/err.h"

/* argv begins with the verb. Returns 0, a negative errno with err, or an exit code. */
int actl_update(int argc, char **argv, struct err *err);
