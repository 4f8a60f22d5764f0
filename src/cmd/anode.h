/*
 * The command line of anode, and the expansion of node lists.
 */
#pragma once

#include "client/connection.h"
#include "cmd/listing/listing.h"

struct anode {
	struct listing_request listing;
	const char *state; /* list only nodes in these states; NULL: all nodes */
	bool summary, reasons, group, per_node;
	bool yes;            /* of confirm-dead: no question */
	bool now, no_resume; /* of reboot */
	struct connection *c;
	struct arena *arena;
	const char *const *args; /* after the verb */
	size_t count;
};

/* Expands node lists, such as cn[01-04], into names; they are allocated in the arena. */
int anode_expand(const struct anode *a, const char *const *lists, size_t count, char ***ret_names,
		 size_t *ret_count, struct err *err);
