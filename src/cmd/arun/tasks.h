/*
 * The frames of one task, and the ends of all, while the relay runs.
 */
#pragma once

#include "cmd/arun/run.h"

/* Frames have come; the connection is lost. */
void tasks_receive(struct run *r, struct run_task *t);
void tasks_connection_lost(struct run *r, struct run_task *t);
void tasks_start(struct run *r);
void tasks_signal(struct run *r, int sig);
void tasks_resize(struct run *r);
bool tasks_all_ended(const struct run *r);
int tasks_exit_code(const struct run *r);
/* Move what they wrote towards our descriptors. */
void tasks_fill_sink(struct run *r, bool errors);
