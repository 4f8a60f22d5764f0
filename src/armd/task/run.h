/*
 * The last step: the task's program.
 */
#pragma once

#include "armd/task/task.h"

/* Returns only on failure. */
task_step_fn task_run;
