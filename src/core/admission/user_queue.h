/*
 * The queue of a job that is being admitted: the named queue, or the user's own queue, which may
 * not exist yet.
 */
#pragma once

#include "core/txn/txn.h"

/* The specification of the caller's own queue, made from armada.conf's user_queues. */
Armada__QueueSpec *user_queue_spec(const struct txn *txn, const char *user, struct arena *a);
/*
 * The queue of this name. If it is the caller's own queue and does not exist yet, the queue as it
 * would be created. NULL: no such queue exists or will be created. Borrowed for the input.
 */
const struct queue *user_queue_for(const struct txn *txn, const char *name);
