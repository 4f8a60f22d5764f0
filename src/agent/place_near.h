/*
 * Chooses cpus near each other out of a set.
 */
#pragma once

#include "agent/place_search.h"

/* Order the levels of the topology in s->order, smaller domains first. */
void place_order_levels(struct place_search *s);
/* The number of cpus of the set in each domain of a level. */
void place_count(const struct place_search *s, const struct place_set *from, enum place_level level,
		 uint16_t ret_counts[PLACE_CPUS]);
/* Choose want cpus of the set, near each other, into out. */
void place_pick(const struct place_search *s, const struct place_set *from, size_t want,
		struct place_set *out);
