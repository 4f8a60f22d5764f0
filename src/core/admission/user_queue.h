/*
 * The queue that a job is to go to: that of its name, or the own queue of its user, which may not be
 * there yet.
 */
#pragma once

#include "core/txn/txn.h"

/* The specification of the caller's own queue, made from armada.conf's user_queues. */
Armada__QueueSpec *user_queue_spec(const struct txn *txn, const char *user, struct arena *a);
/*
 * The queue that a job is to go to: or, where that is the caller's own and is not there yet, what it
 * would be. NULL: there is none, nor will there be. Borrowed for the input.
 */
const struct queue *user_queue_for(const struct txn *txn, const char *name);
