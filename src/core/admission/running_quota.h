/*
 * Absolute limits of running jobs, of queues, users and accounts, as the core applies them (struct quota).
 *
 * The scheduler applies them in each round (sched/round/absolute_limit.c). The core checks them
 * again at each start, because a limit may have been lowered since the round. It also checks them
 * at submission, and refuses jobs that a limit would never let start. The limits of waiting jobs
 * and of submission rates are checked by admission alone (quota.h).
 */
#pragma once

#include "core/admission/admission.h"

/* The limits of a user in all queues: those for each user, replaced by those for this user. */
void running_quota_of_user(const struct core_policy *p, const char *user, struct quota *ret);
/*
 * True if this many elements of the job's user, which want this much in all, may start in its
 * queue.
 */
bool running_quota_allows(const struct txn *txn, const struct job *j, uint64_t elements,
			  const struct resources *want);
/*
 * Refuses elements that could never run at once. a->user NULL: the user's limits are not checked.
 */
int admit_running_quota(struct admission *a, uint64_t elements, const struct resources *want);
