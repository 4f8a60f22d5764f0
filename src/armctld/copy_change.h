/*
 * A change of the set of copies that an administrator asked for: one copy is taken out, or comes back.
 * Called by the thread that may call copies and set_copies of the engine.
 */
#pragma once

#include <armada/state.h>

/* What the administrator asked for, and the result. */
struct copy_change {
	char name[ARMADA_REPLICA_NAME_MAX + 1];
	bool member; /* false: take it out */
	uint64_t conn;
	uint32_t request;
	char by[64];
	int rc; /* of the engine; 0: copies has the new set */
	struct armada_error err;
	struct armada_replica_copies copies;
};

/* Fills rc, err and copies. */
void copy_change_make(const struct armada_replica_ops *engine, void *handle, struct copy_change *x);
