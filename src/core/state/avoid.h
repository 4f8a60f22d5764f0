/*
 * A job is not started on nodes that failed it, or that it was taken from by their name, just now, for a
 * while: all of its elements alike.
 */
#pragma once

#include "core/state/job.h"

/* A node that a job is not started on, until then. */
struct avoid {
	char *node;
	int64_t until_us; /* wall clock */
};

/* Those of one job. */
struct avoids {
	LINK(job) job;
	LINK(avoid) list;
	size_t count; /* never 0 */
	LINK_IN_LIST(avoids) all;
};

/* In the arena; their names are borrowed from the state. */
Armada__Avoided **avoids_message(const struct job *j, struct arena *a, size_t *ret_count);

#ifdef STATE_WRITES
void avoid_add(struct state *state, struct job *j, const char *node, int64_t until_us);
void avoids_drop(struct job *j);
#endif
