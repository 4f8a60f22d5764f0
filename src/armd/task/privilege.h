/*
 * The steps that reset properties of armd that the task must not inherit, except its identity.
 */
#pragma once

#include "armd/task/task.h"

task_step_fn task_oom_score, task_check_oom_score;
task_step_fn task_scheduling, task_check_scheduling;
task_step_fn task_keyring, task_check_keyring;
task_step_fn task_clear_bounding_set, task_check_bounding_set;
task_step_fn task_no_new_privileges, task_check_no_new_privileges;
task_step_fn task_drop_capabilities, task_check_capabilities;
