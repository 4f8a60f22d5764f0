/*
 * The nodes of a gang at a given time: each member on the node with the least room that suffices.
 */
#pragma once

#include "sched/backfill/forecast.h"

struct plan {
	int64_t *room;  /* by node: what is left */
	int64_t *need;  /* by node: what the members use */
	uint32_t *uses; /* by node: members */
	bool *usable;
	uint32_t *heap;
	size_t count;
};

void plan_init(const struct forecast *q, struct plan *p);
/* Places the whole gang at that time; false: there is no room. */
bool plan_all(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p);
/* The least number of members with which the gang may start, and of a part of it that is looked at. */
uint64_t plan_needs(const struct model *m, uint32_t shape);
uint64_t plan_part_needs(const struct model *m, uint32_t shape, uint32_t part);
