/*
 * Lookup of the users and groups that a request names.
 *
 * A handler first checks that the sender may make the request. Then it collects the names with
 * name_lookup_want and calls name_lookup_ask. The first call gives the message back to the shell
 * (EFFECT_NAMES). The shell looks up the names and gives the message again; then name_lookup_find
 * has the answer for each name. Names that are already in the log are never looked up, so that a
 * user who has left the site cannot block anything.
 */
#pragma once

#include "core/txn/txn.h"

struct names {
	struct core_name *list; /* in the arena of the input */
	size_t count, cap;
};

/* Add a name, which is borrowed. A second request for the same name is ignored. */
void name_lookup_want(struct txn *txn, struct names *n, bool group, const char *name);
/* The answer for a name; NULL: it was not looked up. */
const struct core_name *name_lookup_find(const struct txn *txn, bool group, const char *name);
/*
 * True: the message will come again, or was refused, and the handler returns. False: every name was
 * looked up and exists. what: the request that is handled.
 */
bool name_lookup_ask(struct txn *txn, const struct names *n, const void *what);
