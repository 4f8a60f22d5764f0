/*
 * Quotas of waiting and submission: the absolute limits of a queue, of a user in a queue, of a
 * user, of an account, and of a user in an account. They are checked for a submission as a whole, and
 * for a job that moves to another queue or account.
 * The scheduler applies the limits of running jobs.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Checks a request whose jobs were admitted. Call pending_quota_charge() once it is certain that the jobs
 * are accepted.
 */
int pending_quota_admit(struct txn *txn, const Armada__SubmitRequest *m, int *ret_code,
			struct err *err);
void pending_quota_charge(struct txn *txn, const Armada__SubmitRequest *m);
/* The same for a job that gets the queue and the account of `to`, by the limits of those that are new. */
int pending_quota_move(struct txn *txn, const struct job *j, const Armada__JobSpec *to,
		       struct err *err);
void pending_quota_moved(struct txn *txn, const struct job *j, const Armada__JobSpec *to);
