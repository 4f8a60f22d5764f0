/*
 * Fair-share preemption: room for one member by displacing evicted gangs.
 */
#pragma once

#include "sched/model/node_index.h"

struct sched;
struct fair_preempt {
	int64_t *avail; /* by node; valid if the node's stamp is the current one */
	uint32_t *stamps;
	bool *allowed;
	size_t avail_cap, stamp_cap, allowed_cap;
	uint32_t stamp;
};

/* The node; NIL: none. The gangs that had the room are displaced. */
uint32_t fair_preempt_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
				uint32_t mark);
