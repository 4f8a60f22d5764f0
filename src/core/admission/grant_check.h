/*
 * Limits on grants: which rights the caller may give to others in a queue, and must keep.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Checks a change of a queue (made) by a caller who may change it. Callers cannot give rights that
 * they do not hold there. Only administrators can remove their own last right over the queue. 0, or
 * -EPERM with a sentence.
 */
int grants_check(const struct txn *txn, const struct queue *q, const Armada__QueueSpec *made,
		 struct err *err);
