/*
 * What a job waits for, in words.
 */
#pragma once

#include "core/txn/txn.h"

/* "afterok:12:14,singleton", in the arena. state: only those in it; -1: all. */
char *dependency_words(const struct job *j, int state, struct arena *a);
/*
 * Why it, or its part that is withheld, does not start: the sentence, in the arena. at_us: from when
 * on it may, 0 when that is not known.
 */
char *dependency_text_reason(const struct job *j, struct arena *a, enum sched_why *ret_why,
			     int64_t *ret_at_us);
