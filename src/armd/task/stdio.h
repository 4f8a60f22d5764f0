/*
 * The step that opens the task's input and output files, as its user.
 */
#pragma once

#include "armd/task/task.h"

task_step_fn task_open_stdio, task_check_stdio;
