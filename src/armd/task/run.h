/*
 * The last step: the task's program.
 */
#ifndef ARMD_TASK_RUN_H
#define ARMD_TASK_RUN_H

#include "armd/task/task.h"

/* Returns only when it failed. */
task_step_fn task_run;

#endif
