/*
 * Standard input of the tasks, read from standard input of arun.
 */
#pragma once

#include "cmd/arun/run.h"

/* Whether standard input is to be read now: a task has room for it, and the terminal is ours. */
bool input_wanted(struct run *r);
/* Reads once and sends the data to the tasks; at the end of input the tasks are notified. */
void input_read(struct run *r);
