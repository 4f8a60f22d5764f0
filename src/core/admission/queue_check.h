/*
 * Can a queue be like this? Everything of it that is said is looked at, and refused in words.
 */
#pragma once

#include "core/txn/name_lookup.h"

/* Of what an update makes of it. */
int queue_check_times(const Armada__QueueSpec *m, struct err *err);
/*
 * can a queue be made like this, or be changed so? Fields that are not given are not
 * looked at, so that what was accepted before stands in nobody's way. 0, or -EINVAL with a sentence
 * that begins with the queue. whole: all of it is meant, it is to be made.
 */
int queue_check(const struct txn *txn, const Armada__QueueSpec *m, bool whole, struct err *err);
/* The users and groups that it names in what is given. */
void queue_want_names(struct txn *txn, const Armada__QueueSpec *m, bool whole, struct names *n);
