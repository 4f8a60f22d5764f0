/*
 * The limits (setrlimit) of the task's program.
 */
#pragma once

#include "armd/task/task.h"
#include <stdbool.h>

task_step_fn task_set_limits, task_check_limits;

/*
 * What becomes of one limit in this process: what the body wants or the task's own, at most what we may
 * give; false: it cannot be read.
 */
struct rlimit;
struct rlimit_name;
bool task_limit(const Armada__TaskBody *b, const struct rlimit_name *n, struct rlimit *ret);
