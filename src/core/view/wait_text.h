/*
 * Why an element that is held, promised room, or short of tasks stands as it does: sentences.
 */
#pragma once

#include "core/txn/txn.h"

/* Of a job that is held; constant. */
const char *wait_text_held(const struct job *j, enum sched_why *ret_why);
/* Why the tasks of an element wait that do; "" when none does. In the arena, as all below. */
char *wait_text_task_replacements(const struct txn *txn, const struct element *e, struct arena *a);
char *wait_text_pending_lease(const struct element *e, struct arena *a);
/* "2 of 8 tasks were not started: ..."; "" when it has all. */
char *wait_text_gap(const struct element *e, struct arena *a);
