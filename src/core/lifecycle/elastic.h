/*
 * Elastic elements: their extra tasks get nodes while they run, and are taken back when others need the
 * room (core/state/extra.h has the model).
 *
 * An extra task is leased once all tasks that started together have started, so it never delays the start
 * barrier. Members of the element learn of a task that joins or leaves by a settings order (orders.h),
 * which contains the new list of hosts. The first change is told at once. Those that follow within a
 * heartbeat are told together, with the next heartbeat of each node, so that the orders do not grow with
 * the square of the tasks that join one by one.
 */
#pragma once

#include "core/txn/txn.h"

/* Leases an extra task by a scheduling decision; false: the decision no longer holds. */
bool elastic_start(struct txn *txn, const struct sched_decision *d);
/* True if the decision is about a running extra task. */
bool elastic_is_running(const struct txn *txn, const struct sched_decision *d);
/* Takes the extra task of the decision back: it is ended, and the element goes on. */
bool elastic_preempt(struct txn *txn, const struct sched_decision *d, const char *text);
/* Notes why an extra task waits. */
void elastic_note_reason(struct txn *txn, const struct sched_reason *r);
/*
 * Call at the end of an input: tasks of elements where a task joined or left get their settings, unless
 * the element was told less than a heartbeat ago. O(events of the input + tasks that are told).
 */
void elastic_tell(struct txn *txn);
