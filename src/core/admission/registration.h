/*
 * Bounds of a registration: what the controller keeps of one node, and how many nodes.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Fixed, because no machine has more to say. Each text has at most 255 bytes, and all of them
 * together have REGISTRATION_BYTES.
 */
enum {
	REGISTRATION_NODES = 100000,
	REGISTRATION_LABELS = 1024, /* and taints */
	REGISTRATION_RESOURCES = 64,
	REGISTRATION_BYTES = 64 << 10,
};

/* The sentence of an error begins with the name of the node. known: the state has a node of that name. */
int registration_check(const struct txn *txn, const Armada__RegisterNode *m, bool known,
		       struct err *err);
