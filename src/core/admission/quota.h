/*
 * What may wait and be submitted: the absolute limits of a queue, of a user in it, and of a user, held
 * against a submission as a whole, or against a job that is moved to the queue. Limits of what runs
 * are the scheduler's.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * may so much wait and be submitted, by queue, user in a queue, and user? Of a request
 * whose jobs have been admitted. Charged once it is certain that they come.
 */
int admit_quota(struct txn *txn, const Armada__SubmitRequest *m, int *ret_code, struct err *err);
void quota_charge(struct txn *txn, const Armada__SubmitRequest *m);
/* The same of a job that is to be in another queue, by the limits of that one. */
int quota_move(struct txn *txn, const struct job *j, const struct queue *to, struct err *err);
void quota_moved(struct txn *txn, const struct job *j, const struct queue *to);
