/*
 * The prediction of the start of one gang that has no room: the data that its parts share
 * (node_timeline.h, plan.h, earliest_start.h).
 */
#pragma once

#include "sched/backfill/reservation.h"

#define NOW INT64_MIN /* before all releases: the present room */

/* One value of a uniformity label, and the times at which members find room on its nodes. */
struct uniform_value {
	struct slot {
		int64_t at_us;
		uint64_t members;
	} * heap; /* the latest on top */
	size_t count, cap;
	uint64_t members;
};

struct forecast {
	struct model *m;
	const struct reservation *v;
	struct arena *arena;
	uint32_t shape, level;
	bool idle, distinct; /* a whole node for each member; a node for each member */
	struct uniform_value *values;
	uint32_t value_count;
	uint32_t *value_of;         /* by node class; NIL: none. NULL: there is one value */
	const uint8_t *states;      /* by task: enum gang_state. NULL: all are GANG_PLACED */
	struct release_time *fresh; /* by node, and for each node by time */
	uint32_t *fresh_from;
};
