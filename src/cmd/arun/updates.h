/*
 * Updates about the job, which the watch thread receives from the controller.
 */
#pragma once

#include "cmd/arun/run.h"

/* Handles all updates that have arrived. */
void updates_read(struct run *r);
/* Prints why the job is pending, when it has been so for a while. */
void updates_report_pending(struct run *r, int64_t now_ms);
