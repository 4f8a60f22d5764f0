/*
 * Limits in absolute numbers, of queues and users, as the core obeys them (struct most).
 *
 * The scheduler counts under them by itself (sched/round/absolute_limit.c); the core looks again at
 * each start, as a limit may have been lowered since the round looked, and when a job is submitted, as
 * what a limit never lets start is refused. What waits and how fast is submitted are admission's
 * alone.
 */
#pragma once

#include "core/admission/admission.h"

/* Of a user in all queues: armada.conf's for all, but for what it says of the user by name. */
void running_quota_of_user(const struct core_policy *p, const char *user, struct most *ret);
/* May so many elements of the job's user start in its queue, which ask for so much together? */
bool running_quota_allows(const struct txn *txn, const struct job *j, uint64_t elements,
			  const struct resources *want);
/* Is that more than may ever run at once? 0, or it is refused; a->user NULL: whoever it is. */
int admit_running_quota(struct admission *a, uint64_t elements, const struct resources *want);
