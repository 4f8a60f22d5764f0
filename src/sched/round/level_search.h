/*
 * The search for a node with room at a level: with room once whoever is less urgent is gone.
 */
#pragma once

#include "sched/backfill/reservation.h"

/* The node that the select sequence puts first, of those with room at the level; any of them will do. */
uint32_t level_search(struct model *m, struct reservation *v, uint32_t level,
		      const struct node_index_ask *ask, uint32_t part, uint32_t mark, bool any);
/* May a member of the part be on the node, as far as it is not a matter of room? */
bool level_search_allows(struct model *m, struct reservation *v, const struct node_index_ask *ask,
			 uint32_t part, uint32_t mark, uint32_t node);
