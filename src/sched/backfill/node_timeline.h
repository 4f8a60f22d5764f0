/*
 * One node through time: its room at each end of what runs there.
 */
#pragma once

#include "sched/backfill/forecast.h"

struct node_timeline {
	int64_t room[SCHED_RESOURCES];
	uint32_t tasks, exclusive;
	const struct release_time *a, *a_end, *b, *b_end;
	uint32_t node, level;
};

void node_timeline_begin(const struct forecast *q, uint32_t node, struct node_timeline *c);
/* The next end; false: no more. */
bool node_timeline_peek(const struct node_timeline *c, int64_t *ret_at_us);
void node_timeline_step(const struct forecast *q, struct node_timeline *c);
/* Members of the part that there is room for, up to so many. */
uint64_t node_timeline_holds(const struct forecast *q, const struct node_timeline *c, uint32_t part,
			     uint64_t most);
/* Which value the node stands for; NIL: members of the part may not be there. */
uint32_t node_timeline_value(const struct forecast *q, uint32_t part, uint32_t node);
