/*
 * The start barrier of tasks that start together: all tasks of an element, or of all jobs of a
 * gang.
 *
 * Each node sets its task up completely, reports READY, and does not run the program before a
 * release order. The controller releases all tasks when each task that was leased with them is
 * ready or has started. Members of the gang whose element has ended are not waited for.
 *
 * If a task ends before the release and its job is not the reason (a node failed or refused it),
 * the attempt ends for all tasks, and the element is requeued as a whole if it may be. If the
 * failure is the job's own, the task failure policy decides (task_failure_policy.h).
 *
 * The log contains nothing of this. Nodes repeat READY, and a task start in the log implies that
 * the barrier was open. A task that gets ready behind an open barrier is released at once.
 *
 * A task that starts alone has no barrier.
 */
#pragma once

#include "core/txn/txn.h"

/* The node reported the task READY. The caller calls start_barrier_check() afterwards. */
void start_barrier_ready(struct txn *txn, const struct task *t);
/* True if the task has a barrier that was never opened, for itself or for its partners. */
bool start_barrier_is_shut(struct txn *txn, const struct task *t);
/* Call when the element changed. Opens the barrier if all are ready, and releases late tasks. */
void start_barrier_check(struct txn *txn, const struct element *e);
