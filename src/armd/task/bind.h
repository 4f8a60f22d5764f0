/*
 * The step that binds a task to its cpus.
 */
#ifndef ARMD_TASK_BIND_H
#define ARMD_TASK_BIND_H

#include "armd/task/task.h"

task_step_fn task_bind, task_check_bind;

#endif
