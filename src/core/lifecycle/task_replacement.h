/*
 * Tasks that failed alone: each is vacated, and leased again when a scheduling round finds it a node
 * (core/state/task_replacement.h).
 */
#pragma once

#include "core/txn/txn.h"

/* A task that has just ended is to be started anew. */
void task_replacement_vacate(struct txn *txn, const struct task *t, const char *reason);
/* A scheduling decision; false: it no longer holds. */
bool task_replacement_start(struct txn *txn, const struct sched_decision *d);
