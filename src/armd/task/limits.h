/*
 * The limits (setrlimit) of the task's program.
 */
#pragma once

#include "armd/task/task.h"
#include <stdbool.h>

task_step_fn task_set_limits, task_check_limits;

/*
 * The value of one limit in this process: the body's value or the default for tasks, at most the
 * hard limit; false: it cannot be read.
 */
struct rlimit;
struct rlimit_name;
bool task_limit(const Armada__TaskBody *b, const struct rlimit_name *n, struct rlimit *ret);
