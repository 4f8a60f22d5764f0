/*
 * Users and groups that a request names, as the shell looks them up.
 *
 * A handler collects them with name_lookup_want once it knows that the sender may ask at all, and calls
 * name_lookup_ask. The first time that gives the message back to the shell (EFFECT_NAMES), which looks the
 * names up and gives it again; then name_lookup_find knows each of them. Names that are in the log already
 * are never asked about: who has left the site must not stop anything.
 */
#pragma once

#include "core/txn/txn.h"

struct names {
	struct core_name *list; /* in the arena of the input */
	size_t count, cap;
};

/* name is borrowed. The same one twice is wanted once. */
void name_lookup_want(struct txn *txn, struct names *n, bool group, const char *name);
/* What was looked up; NULL: that name was not asked for. */
const struct core_name *name_lookup_find(const struct txn *txn, bool group, const char *name);
/*
 * Is it answered for now? True: the message comes again, or was refused; the handler returns. False:
 * every name was looked up and is there. what: the request being handled.
 */
bool name_lookup_ask(struct txn *txn, const struct names *n, const void *what);
