/*
 * Checks of a queue specification: all given fields are checked, and refused with a sentence.
 */
#pragma once

#include "core/txn/name_lookup.h"

/* Checks the default and maximum time of a queue as they are after an update. */
int queue_check_times(const Armada__QueueSpec *m, struct err *err);
/*
 * Checks the specification of a new queue (whole) or the given fields of a change. Fields that are
 * not given are not checked, so that values accepted earlier do not prevent the change. 0, or a
 * negative errno with a sentence that begins with the queue.
 */
int queue_check(const struct txn *txn, const Armada__QueueSpec *m, bool whole, struct err *err);
/* Adds the users and groups that the given fields name to the lookup. */
void queue_want_names(struct txn *txn, const Armada__QueueSpec *m, bool whole, struct names *n);
