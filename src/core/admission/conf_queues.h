/*
 * The queues that armada.conf declares. Each reading of the file creates them, or changes them to
 * their declaration. A change by a request holds until then. A cordon stays if the file does not
 * mention it. A queue that the file no longer names stays as it is.
 */
#pragma once

#include "core/txn/txn.h"

/* The declared specification, settled, in the arena. q: the present queue; NULL: none. */
Armada__QueueSpec *conf_queues_spec(const Armada__QueueSpec *said, const struct queue *q,
				    struct arena *a);
/* The declaration of a queue; NULL: armada.conf does not name it. */
const Armada__QueueSpec *conf_queues_find(const struct core_policy *p, const char *name);
/* Creates or changes the declared queues. */
void conf_queues_apply(struct txn *txn);
