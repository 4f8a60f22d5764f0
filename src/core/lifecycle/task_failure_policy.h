/*
 * What becomes of an element when one of its tasks fails: ends otherwise than well, or is lost.
 *
 * A task is good while it runs, and when it has ended well. As long as the good ones are as many as
 * must be available (min_available; all, if none is said), the element goes on, either without the
 * task or with it started anew somewhere; else all of it is started anew. With no policy (fail_job)
 * the first that fails ends all.
 *
 * A service serves the other groups: once all of these have ended it is ended too, and was good.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * A node that keeps refusing or losing an element's tasks must not do so for ever, nor may a task that
 * fails be started anew without end. What was somebody's decision (preempted, a promise taken back)
 * is no failure, however often.
 */
enum { FAILURES_MAX = 16 };

enum failure {
	FAILURE_ENDS,     /* the whole ends with it */
	FAILURE_RESTARTS, /* too few are left: the whole is started anew */
	FAILURE_REPLACES, /* it is started anew */
	FAILURE_PASSES,   /* the others go on without it */
};

bool task_ended_well(const struct task *t);
uint32_t task_failure_good_tasks(const struct element *e);
/* Of a task that has just ended, and not well; it may be started anew so often. */
enum failure task_failure_of(const struct task *t, uint32_t most);
/* Only services are left, of several groups. */
bool only_services_left(const struct element *e);
