/*
 * The last step: the task's program.
 */
#pragma once

#include "armd/task/task.h"

/* Returns only when it failed. */
task_step_fn task_run;
