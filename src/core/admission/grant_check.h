/*
 * What somebody who may change a queue may give to others, and must keep.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * may the caller make this of a queue that they may change? Nobody gives what they do not hold
 * there, and only administrators give up what would be their own last right over it. 0, or -EPERM
 * with a sentence.
 */
int grants_check(const struct txn *txn, const struct queue *q, const Armada__QueueSpec *made,
		 struct err *err);
