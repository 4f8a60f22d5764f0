/*
 * Task replacement: a failed task is vacated while the rest of its element continues. It is leased
 * again when a scheduling round finds a node for it (core/state/task_replacement.h).
 */
#pragma once

#include "core/txn/txn.h"

/* Vacates a task that has just ended, so that it is replaced. */
void task_replacement_vacate(struct txn *txn, const struct task *t, const char *reason);
/* Leases a replacement by a scheduling decision; false: the decision no longer holds. */
bool task_replacement_start(struct txn *txn, const struct sched_decision *d);
