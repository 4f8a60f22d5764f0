/*
 * Jobs with a deadline: they are cancelled when they can no longer end in time, and a job that
 * accepts a lower time limit gets one that ends in time.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Cancels the waiting elements of the job if it is too late for them, or sets a timer for that
 * time. May remove the job from memory.
 */
void deadline_look(struct txn *txn, const struct job *j);
/*
 * The time limit of an element that starts now: lowered_s, which the scheduler chose (0: that of
 * the job), and at most the time until the deadline. 0: that of the job. False: it may not start.
 */
bool deadline_limit(const struct txn *txn, const struct job *j, int64_t lowered_s,
		    int64_t *ret_limit_s);
