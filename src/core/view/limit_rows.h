/*
 * Rows of actl show limits: a bound, what is used of it, and the users with the most.
 *
 * The core makes the rows of what it keeps, and its shell adds those of connections and queues. A
 * caller who does not see all users gets only its own values.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

enum { LIMIT_USERS = 5 };

/* The caller, as far as the rows depend on it. */
struct limit_viewer {
	bool all; /* sees the values of all users */
	uint32_t uid;
	const char *user; /* NULL: the uid has no name */
};

/* A user with a value: a name, or if it is NULL a uid, which the client looks up. */
struct limit_user {
	const char *name;
	uint32_t uid;
	uint64_t used;
};

/* Adds a row of which nothing is used yet. The texts are borrowed. */
Armada__LimitUse *limit_row(Armada__LimitsReply *r, struct arena *a, const char *name,
			    const char *scope, const char *option, int64_t bound);
/* Sets the present use of the row. */
void limit_row_used(Armada__LimitUse *row, uint64_t used);
/* A user has this much of a bound for each user. The name is borrowed. O(LIMIT_USERS). */
void limit_row_user(Armada__LimitUse *row, struct arena *a, const struct limit_viewer *viewer,
		    const struct limit_user *user);
