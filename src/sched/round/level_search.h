/*
 * The search for a node with room at a level, that is with room once all less urgent gangs are
 * preempted.
 */
#pragma once

#include "sched/backfill/reservation.h"

/* Has a node room for a member of the part at the level? */
bool level_search(struct model *m, struct reservation *v, uint32_t level,
		  const struct node_index_ask *ask, uint32_t part, uint32_t mark);
/* May a member of the part run on the node, apart from room and the tasks there? */
bool level_search_allows(struct model *m, struct reservation *v, const struct node_index_ask *ask,
			 uint32_t part, uint32_t mark, uint32_t node);
