/*
 * The command line of anode, and the nodes that its words name.
 */
#pragma once

#include "client/connection.h"
#include "cmd/listing/listing.h"

struct anode {
	struct listing_request listing;
	const char *state;   /* only these; NULL: all */
	bool yes;            /* of confirm-dead: do not ask */
	bool now, no_resume; /* of reboot */
	struct connection *c;
	struct arena *arena;
	const char *const *args; /* after the verb */
	size_t count;
};

/* The names that count node lists stand for, in the arena. */
int anode_expand(const struct anode *a, const char *const *lists, size_t count, char ***ret_names,
		 size_t *ret_count, struct err *err);
