/*
 * Whether the queues, nodes, classes, accounts and users that a filter names exist. A word that is misspelt
 * would select no job, and an empty listing says nothing about that.
 *
 * A name is known if the controller has it, or if a job that the caller may see has it: queues and
 * nodes may have been deleted since the job ended. A user is also known if this machine has it. What
 * exists and what the caller may not see give the same answer.
 */
#pragma once

#include "client/connection.h"
#include "client/filter.h"

/* True if the rows of the answer have the name, so that no further request is needed for it. */
typedef bool known_seen(const void *rows, enum filter_by by, const char *name);

/* -ENOENT with the first unknown name and the nearest known one. seen: NULL for none. */
int known_check(struct connection *c, const struct filter *f, known_seen *seen, const void *rows,
		struct err *err);

/* -ENOENT with the name that does not exist, and the nearest one that does. */
int known_no_queue(struct connection *c, const char *name, struct err *err);
int known_no_node(struct connection *c, const char *name, struct err *err);
