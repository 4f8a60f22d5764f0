/*
 * The queues that armada.conf declares. They are made, or brought to what it says, whenever it is read:
 * what was changed since by hand holds until then, but a cordon stays where the file says nothing of
 * one. A queue that it no longer names stays as it is.
 */
#pragma once

#include "core/txn/txn.h"

/* What a queue is to be, settled and in the arena; q: what it is now, NULL: it is not there. */
Armada__QueueSpec *conf_queues_spec(const Armada__QueueSpec *said, const struct queue *q,
				    struct arena *a);
/* NULL: armada.conf does not name it. */
const Armada__QueueSpec *conf_queues_find(const struct core_policy *p, const char *name);
/* Make them so. */
void conf_queues_apply(struct txn *txn);
