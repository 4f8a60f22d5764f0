/*
 * A running elastic element gets another number of tasks (core/state/extra.h).
 *
 * Growth: new extra tasks, which join when there is room. Shrinking: in each group first those that wait,
 * then the running tasks with the highest ranks; they get the time between SIGTERM and SIGKILL, and the
 * others go on. The tasks that started together stay.
 *
 * JobUpdated has the new specification, and ElementScaled the extra tasks of each running element. Which
 * tasks are still to be taken back follows from the state. Those of one input are limited; the others
 * follow with the heartbeats of their nodes. Cost: O(n log n) for n tasks of the running elements.
 */
#pragma once

#include "core/txn/txn.h"

enum {
	LEAVING_AT_ONCE = 2000, /* tasks that one input takes back */
	ARRAY_AT_ONCE = 200000, /* tasks, before and after, of all running elements of an array */
};

/* What scaling costs: the tasks of all running elements, before and after. */
int64_t elastic_scale_work(const struct job *j, const Armada__JobSpec *to);
/* Refuses what the running elements of an elastic job cannot be scaled to. to: the new specification. */
int elastic_scale_check(const struct job *j, const Armada__JobSpec *to, struct err *err);
/* Fits the running elements of an elastic job to its specification, which has just changed. */
void elastic_scale(struct txn *txn, uint64_t job);
/* Call with a heartbeat of the node, before its orders are repeated: takes back dropped tasks there. */
void elastic_scale_go_on(struct txn *txn, const struct node *n);
