/*
 * From the configuration to the loop, and everything released again.
 */
#pragma once

#include "armctld/ctld.h"

/* On failure everything is released again. */
int startup_begin(struct ctld *c, const char *conf_file, struct err *err);
void startup_release(struct ctld *c);
