/*
 * What a reconfigure changes, and what follows from it for jobs: the answer to `actl reconfigure
 * --dry-run`, and the summary of a real one.
 *
 * What differs between the two files is given (conf/compare.h). Queues are the exception: what is
 * compared with the file is what holds now, for it may have been changed by hand since.
 */
#pragma once

#include "core/txn/txn.h"

/* What is being collected; the messages live in the arena of the input. */
struct findings {
	struct txn *txn;
	const struct core_policy *next;
	Armada__ConfChange **list;
	size_t count, cap;
	bool refused; /* one of them is */
};

/* a sentence in the arena, "" where nothing follows. */
const char *note_option(struct findings *f, const struct conf_change *change);
const char *note_class(struct findings *f, const struct conf_change *change);
const char *note_nodes(struct findings *f, const struct conf_change *change);
/* key: the row that changes; NULL: the file no longer names it. */
const char *note_queue(struct findings *f, const struct queue *q, const char *key);
