/*
 * The working state for one request of placement (agent/place.h): free cpus and gpus, and the order
 * of the levels.
 */
#pragma once

#include "agent/place.h"

enum { WHOLE_MILLI = 1000, WORDS = PLACE_CPUS / 64 };

/* Cpus by their index in the topology. */
struct place_set {
	uint64_t bits[WORDS];
	size_t count;
};

/* The working state for one request. */
struct place_search {
	const struct place_topology *t;
	enum place_level order[PLACE_LEVELS]; /* the smaller domains first */
	uint32_t load[PLACE_CPUS];            /* milli, by index */
	bool owned[PLACE_CPUS];
	bool gpu_used[PLACE_GPUS];
	uint16_t gpus_near[PLACE_CPUS]; /* free gpus of each NUMA node */
};

static inline void place_set_add(struct place_set *s, size_t i)
{
	s->count += !place_has(s->bits, i);
	place_add(s->bits, i);
}

static inline size_t place_domain(const struct place_search *s, size_t i, enum place_level level)
{
	return s->t->cpus[i].domain[level];
}
