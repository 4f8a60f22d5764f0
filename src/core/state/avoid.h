/*
 * The nodes that a job avoids for a while, after the job failed there or was taken from them by the
 * name of the node. All elements of the job avoid the same nodes.
 */
#pragma once

#include "core/state/job.h"

/* A node on which the job is not started before until_us. */
struct avoid {
	char *node;
	int64_t until_us; /* wall clock */
};

/* The avoided nodes of one job. */
struct avoids {
	LINK(job) job;
	LINK(avoid) list;
	size_t count; /* never 0 */
	LINK_IN_LIST(avoids) all;
};

/* The avoided nodes as messages in the arena. The names are borrowed from the state. */
Armada__Avoided **avoids_message(const struct job *j, struct arena *a, size_t *ret_count);

#ifdef STATE_WRITES
void avoid_add(struct state *state, struct job *j, const char *node, int64_t until_us);
void avoids_drop(struct job *j);
#endif
