/*
 * The dependencies of a job as text.
 */
#pragma once

#include "core/txn/txn.h"

/* "afterok:12:14,singleton", in the arena. state: only dependencies in this state; -1: all. */
char *dependency_words(const struct job *j, int state, struct arena *a);
/*
 * Those that can never hold, in the arena, with what the other job did if there is only one:
 * "afterok:12: job 12 did not succeed".
 */
char *dependency_never_words(const struct job *j, struct arena *a);
/*
 * The sentence, in the arena, that says why the job or its withheld part does not start. at_us: the
 * earliest start time; 0: not known.
 */
char *dependency_text_reason(const struct job *j, struct arena *a, enum sched_why *ret_why,
			     int64_t *ret_at_us);
