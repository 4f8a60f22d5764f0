/*
 * The changes of a reconfiguration and their consequences for jobs: the answer to `actl reconfigure
 * --dry-run`, and the summary of a real one.
 *
 * The differences between the two files are given (conf/compare.h). Queues are the exception: the
 * file is compared with the present state of the queue, because a request may have changed it
 * since.
 */
#pragma once

#include "core/txn/txn.h"

/* The findings so far; the messages are in the arena of the input. */
struct findings {
	struct txn *txn;
	const struct core_policy *next;
	Armada__ConfChange **list;
	size_t count, cap;
	bool refused; /* one of the changes is refused */
};

/* A sentence in the arena; "" if nothing follows. */
const char *note_option(struct findings *f, const struct conf_change *change);
const char *note_class(struct findings *f, const struct conf_change *change);
const char *note_account(struct findings *f, const struct conf_change *change);
const char *note_nodes(struct findings *f, const struct conf_change *change);
/* key: the field that changes; NULL: the file no longer names the queue. */
const char *note_queue(struct findings *f, const struct queue *q, const char *key);
