/*
 * Startup and release of the controller.
 */
#pragma once

#include "armctld/ctld.h"

/*
 * Read the configuration, recover the state, start threads and listen. On failure everything is
 * released.
 */
int startup_begin(struct ctld *c, const char *conf_file, struct err *err);
void startup_release(struct ctld *c);
