/*
 * The steps that become the task's user: groups, group and user, in this order.
 */
#pragma once

#include "armd/task/task.h"

task_step_fn task_take_groups, task_check_groups;
task_step_fn task_take_group, task_check_group;
task_step_fn task_take_user, task_check_user;
