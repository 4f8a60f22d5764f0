/*
 * Holds: the rank of the holder decides which callers may release the job.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Holds the job as the caller of this input. The stronger of two holds stays: first an
 * administrator's, then that of a user who may cancel in its queue, then the owner's. True: the
 * hold is new, or stronger than before.
 */
bool job_hold_by_caller(struct txn *txn, const struct job *j);
/* Holds a member of a gang that was incomplete for too long. A hold of a user stays. */
void job_hold_by_gang(struct txn *txn, const struct job *j);
void job_release(struct txn *txn, const struct job *j);
bool hold_may_release(const struct txn *txn, const struct job *j);
