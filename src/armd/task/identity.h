/*
 * The steps that become the task's user: groups, group and user, in this order.
 */
#ifndef ARMD_TASK_IDENTITY_H
#define ARMD_TASK_IDENTITY_H

#include "armd/task/task.h"

task_step_fn task_take_groups, task_check_groups;
task_step_fn task_take_group, task_check_group;
task_step_fn task_take_user, task_check_user;

#endif
