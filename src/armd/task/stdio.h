/*
 * The step that opens the task's input and output files, as its user.
 */
#ifndef ARMD_TASK_STDIO_H
#define ARMD_TASK_STDIO_H

#include "armd/task/task.h"

task_step_fn task_open_stdio, task_check_stdio;

#endif
