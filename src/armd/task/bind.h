/*
 * The step that binds a task to its cpus.
 */
#pragma once

#include "armd/task/task.h"

task_step_fn task_bind, task_check_bind;
