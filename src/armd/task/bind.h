/*
 * The step that binds a task to its cpus.
 */
#pragma once

#include "armd/task/task.h"

task_step_fn task_bind, task_check_bind;
/* Binds a process (0: this one) to cpus, by the kernel's numbers; NULL: to all. */
int task_bind_process(pid_t pid, const uint64_t *cpus, struct err *err);
