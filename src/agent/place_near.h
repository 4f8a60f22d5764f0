/*
 * Cpus near together, out of a set.
 */
#pragma once

#include "agent/place_search.h"

/* The levels of the topology in s->order, the smaller domains first. */
void place_order_levels(struct place_search *s);
/* How many of the set are in each domain of a level. */
void place_count(const struct place_search *s, const struct place_set *from, enum place_level level,
		 uint16_t ret_counts[PLACE_CPUS]);
/* So many of these, near together, into out. */
void place_pick(const struct place_search *s, const struct place_set *from, size_t want,
		struct place_set *out);
