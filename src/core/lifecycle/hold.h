/*
 * Holds: who put one on a job says who may take it off.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * a hold of the caller of this input. Of two the stronger stays: an administrator's, that of
 * who may cancel in its queue, its owner's. True: it is there only now, or stronger than before.
 */
bool job_hold_by_caller(struct txn *txn, const struct job *j);
void job_release(struct txn *txn, const struct job *j);
bool hold_may_release(const struct txn *txn, const struct job *j);
