/*
 * What the controller says of the job while arun stays with it.
 */
#pragma once

#include "cmd/arun/run.h"

void updates_read(struct run *r);
/* Say why the job waits, once that has taken a while. */
void updates_report_pending(struct run *r, int64_t now_ms);
