/*
 * Where the members of a gang would be at some time: each on the node with the least room that has
 * enough.
 */
#pragma once

#include "sched/backfill/forecast.h"

struct plan {
	int64_t *room;  /* of nodes; what is left */
	uint32_t *uses; /* of nodes: members */
	bool *usable;
	uint32_t *heap;
	size_t count;
};

void plan_init(const struct forecast *q, struct plan *p);
/* All of the gang at that time; false: there is no room. */
bool plan_all(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p);
/* How many members have to start at least. */
uint64_t plan_needs(const struct model *m, uint32_t shape);
