/*
 * The frames of tasks, and their ends, while the relay runs.
 */
#pragma once

#include "cmd/arun/run.h"

/* Handles received frames. */
void tasks_receive(struct run *r, struct run_task *t);
/* The connection of a task was lost. */
void tasks_connection_lost(struct run *r, struct run_task *t);
/* All tasks have connected: sends BEGIN to them. */
void tasks_start(struct run *r);
void tasks_signal(struct run *r, int sig);
void tasks_resize(struct run *r);
/* Every task has ended or is lost. */
bool tasks_all_ended(const struct run *r);
int tasks_exit_code(const struct run *r);
/* Moves output of the tasks to the sink of standard output, or of standard error. */
void tasks_fill_sink(struct run *r, bool errors);
