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
/*
 * Begin to lead: an epoch begins, and what decides starts. epoch: as the state's engine gave it; 0: the
 * next.
 */
int startup_lead(struct ctld *c, uint64_t epoch, struct err *err);
/* By any thread. again: executes the program again, as a standby; else the process ends. */
void startup_failed(struct ctld *c, bool again, const char *sentence) __attribute__((noreturn));
void startup_release(struct ctld *c);
