/*
 * The task failure policy: the effect on an element when one of its tasks fails. A task fails when
 * it does not exit with code 0, or when it is lost.
 *
 * A task is good while it runs, and after it exited with code 0. One that is being set up again after
 * the element has started is not, and neither is an extra task that is taken back. As long as at least
 * min_available tasks are good (default: all), the element continues, either without the failed
 * task or with a replacement. With fewer good tasks the whole element is restarted. Without a
 * policy (fail_job) the first failure ends the element. An extra task (core/state/extra.h) that its node
 * refuses or loses is no failure of the element: it waits again, whatever the rule, up to the limit. A
 * group of tasks may have a rule of its own, which is for failures of its tasks. The minimum is counted
 * over all groups, or in each group if the groups have minima of their own.
 *
 * A service group serves the other groups. When all of these have ended, the services are ended
 * too, and count as successful. Standby tasks (task_stands_by) of a job with several groups are ended
 * in the same way; those of a job with one group end with its first task.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Default limit of failures: a node must not refuse or lose an element's tasks for ever, and a
 * failing task must not be restarted for ever. A decision (a preemption, a withdrawn pending lease)
 * does not count as a failure.
 */
enum { FAILURES_MAX = 16 };

enum failure {
	FAILURE_ENDS,     /* the element ends */
	FAILURE_RESTARTS, /* too few tasks are good: the whole element is restarted */
	FAILURE_REPLACES, /* the task is replaced */
	FAILURE_PASSES,   /* the other tasks continue without it */
};

bool task_ended_well(const struct task *t);
uint32_t task_failure_good_tasks(const struct element *e);
uint32_t task_failure_good_in(const struct element *e, uint32_t group);
/* True if the element has too few good tasks, in all groups together or in one that has a minimum. */
bool task_failure_too_few(const struct element *e);
/* That in words, after the task has failed. */
const char *task_failure_shortage(struct txn *txn, const struct task *t);
/* True for a failed task of a group with the rule fail_job, which ends the element. */
bool task_failure_is_fatal(const struct task *t);
/* The first such task; NULL: none. */
const struct task *task_failure_fatal(const struct element *e);
/* The effect of a task that has just failed. most: how often it may be replaced. */
enum failure task_failure_of(const struct task *t, uint32_t most);
/* True if the job has several groups, and only tasks of services and standby tasks are left. */
bool only_waiting_left(const struct element *e);
