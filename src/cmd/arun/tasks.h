/*
 * The frames of one task, and the ends of all, while the relay runs.
 */
#pragma once

#include "cmd/arun/run.h"

/* Frames have come; the connection is lost. */
void tasks_receive(struct run *r, struct run_task *t);
void tasks_lost(struct run *r, struct run_task *t);
void tasks_begin(struct run *r);
void tasks_signal(struct run *r, int sig);
void tasks_resize(struct run *r);
bool tasks_over(const struct run *r);
int tasks_exit_code(const struct run *r);
/* Move what they wrote towards our descriptors. */
void tasks_drain(struct run *r, bool errors);
