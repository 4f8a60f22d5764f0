/*
 * Signals that arun gets while the relay runs.
 */
#pragma once

#include "cmd/arun/run.h"

/* Blocks the signals and returns a signalfd for them, or a negative errno. */
int signals_block(void);
void signals_read(struct run *r, int64_t now_ms);
