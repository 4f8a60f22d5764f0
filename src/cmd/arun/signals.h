/*
 * Signals that arun gets while it stays with what runs.
 */
#pragma once

#include "cmd/arun/run.h"

/* Block them and return a signalfd for them, or a negative errno. */
int signals_block(void);
void signals_read(struct run *r, int64_t now_ms);
