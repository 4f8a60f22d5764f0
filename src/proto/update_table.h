/*
 * The table of the fields of a job that UPDATE_JOB can change.
 *
 * X(name in UpdateJobRequest.Field, name in error texts,
 *   when the field can be changed: RUN: always; REMAINING: while at least one element is pending;
 *     TEMPLATE: while no element runs, or with a restart; PENDING: while no element runs,
 *   GANG: also for members of a gang of jobs; ALONE: not for them,
 *   the right that the change requires (core/state/verb.h),
 *   members of JobSpec: ONE(member), LIST(list), or NO_MEMBER if separate code stores the value,
 *   option of actl update,
 *   CLEARED: the value "none" deletes the field; KEPT: it does not,
 *   the row of the option if it differs from that of asubmit, or NULL,
 *   help of the option)
 * ALSO(name, option ... help) is a further option for the same field.
 *
 * An option without a row of its own is parsed as that of asubmit (client/spec/table.c). --help shows the
 * options in the order of the rows. core/request/update.c checks fields with the same `when` in this order. A
 * new field needs a row, a number in client.proto, and the checks of its value in core/admission/job.c.
 */
#pragma once

#include "proto/msg.h"

#define UPDATE_FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

/* clang-format off */
#define UPDATE_TABLE(X, ALSO) \
	X(NAME, "name", RUN, GANG, UPDATE, ONE(name), "name", KEPT, NULL, "New name") \
	X(QUEUE, "queue", PENDING, ALONE, UPDATE, ONE(queue), "queue", KEPT, NULL, "New queue") \
	X(PRIORITY, "priority", RUN, GANG, REPRIORITISE, ONE(priority), \
	  "priority", KEPT, NULL, "Priority in its queue: lower runs first") \
	X(PRIORITY_CLASS, "priority class", PENDING, ALONE, UPDATE, ONE(priority_class), \
	  "priority-class", KEPT, NULL, "New priority class: higher is more urgent") \
	X(ACCOUNT, "account", PENDING, ALONE, UPDATE, ONE(account), \
	  "account", CLEARED, NULL, "New account; none: the default of the owner, or no account") \
	X(COMMENT, "comment", RUN, GANG, UPDATE, ONE(comment), "comment", KEPT, NULL, "New comment") \
	X(MAIL_TYPES, "mail type", RUN, GANG, UPDATE, ONE(mail_types), "mail-type", KEPT, NULL, \
	  "When mail is sent: BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ARRAY_TASKS, ALL or NONE") \
	X(MAIL_USER, "mail user", RUN, GANG, UPDATE, ONE(mail_user), "mail-user", KEPT, NULL, "Address of mails") \
	X(THROTTLE, "array throttle", RUN, ALONE, UPDATE, ONE(array_throttle), \
	  "array-throttle", KEPT, &throttle, \
	  "Limit of elements of the array that run at the same time, like %N; 0: no limit") \
	X(TIME_LIMIT, "time", RUN, ALONE, UPDATE, ONE(time_limit_s), "time", KEPT, NULL, \
	  "New time limit; +TIME or -TIME changes the present one") \
	X(GRACE, "grace period", PENDING, ALONE, UPDATE, ONE(grace_ms), \
	  "grace-period", KEPT, NULL, "Time between SIGTERM and SIGKILL") \
	X(RESOURCES, "resources", TEMPLATE, ALONE, UPDATE, NO_MEMBER, "cpus", KEPT, NULL, "Cpus of each task") \
	ALSO(RESOURCES, "memory", KEPT, NULL, "Memory of each task") \
	ALSO(RESOURCES, "mem-per-cpu", KEPT, NULL, "Memory for each cpu of a task; needs --cpus") \
	ALSO(RESOURCES, "gpus-per-task", KEPT, &gpus, "Gpus of each task; 0: none") \
	ALSO(RESOURCES, "resource", KEPT, NULL, "Other resources of each task, as fpga=1; 0: none") \
	X(TASKS, "ntasks", TEMPLATE, ALONE, UPDATE, NO_MEMBER, "ntasks", KEPT, NULL, \
	  "New number of tasks") \
	X(MIN_TASKS, "min-tasks", TEMPLATE, ALONE, UPDATE, ONE(min_available), "min-tasks", KEPT, NULL, \
	  "Least number of tasks with which the job starts and goes on") \
	X(GROUPS, "group", TEMPLATE, ALONE, UPDATE, NO_MEMBER, "group", KEPT, &group, \
	  "New number of tasks of this group; without =N: the group that the resources and the program are of") \
	X(PROGRAM, "command", TEMPLATE, ALONE, UPDATE, NO_MEMBER, "wrap", KEPT, &wrap, \
	  "Run this shell command line from now on; a command may also follow --") \
	ALSO(PROGRAM, "script", KEPT, &script, "Run this script from now on; its arguments may follow --") \
	X(SELECTORS, "constraint", TEMPLATE, ALONE, UPDATE, LIST(selectors), \
	  "constraint", CLEARED, NULL, "Labels that the nodes must have; none: any nodes") \
	X(NODES_INCLUDE, "nodelist", TEMPLATE, ALONE, UPDATE, LIST(nodes_include), \
	  "nodelist", CLEARED, NULL, "Nodes to run on; none: any nodes") \
	X(NODES_EXCLUDE, "exclude", TEMPLATE, ALONE, UPDATE, LIST(nodes_exclude), \
	  "exclude", CLEARED, NULL, "Nodes to avoid; none: no nodes") \
	X(DEPENDENCIES, "dependency", REMAINING, GANG, UPDATE, LIST(dependencies) ONE(dependency_any), \
	  "dependency", KEPT, NULL, "Jobs to wait for; none: no jobs") \
	X(KEEP_INVALID, "kill-on-invalid-dep", REMAINING, GANG, UPDATE, NO_MEMBER, \
	  "kill-on-invalid-dep", KEPT, NULL, "Cancel the job if its dependency can never be fulfilled; otherwise it waits") \
	X(BEGIN, "begin", REMAINING, GANG, UPDATE, ONE(begin_us), "begin", CLEARED, NULL, "Earliest start; none: at once") \
	X(DEADLINE, "deadline", REMAINING, ALONE, UPDATE, ONE(deadline_us), \
	  "deadline", CLEARED, NULL, "Time before which the job must be able to end; none: any time") \
	X(TIME_MIN, "time-min", REMAINING, ALONE, UPDATE, ONE(time_min_s), \
	  "time-min", CLEARED, NULL, "Least time limit with which the job may start; none: that of --time") \
	X(SCAVENGE, "scavenge", PENDING, ALONE, UPDATE, ONE(scavenge), \
	  "scavenge", KEPT, NULL, "Run only in resources that nobody else uses (yes, the default), or not (no)") \
	X(REQUEUE, "requeue", RUN, GANG, UPDATE, ONE(no_requeue), \
	  "requeue", KEPT, &requeue, "Requeue the job when its node fails") \
	ALSO(REQUEUE, "no-requeue", KEPT, NULL, "Let the job fail when its node fails")
/* clang-format on */
