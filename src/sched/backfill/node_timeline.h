/*
 * One node over time: its room after each release, that is after the latest end of each member.
 *
 * Two sorted lists of releases are merged: a of the running tasks, b of the tasks that this round
 * has started. Only releases that add room at the level of the gang change the room: at a level
 * above 0 the room of tasks that the gang may displace is counted as free from the beginning.
 */
#pragma once

#include "sched/backfill/forecast.h"

struct node_timeline {
	int64_t room[SCHED_RESOURCES];
	struct tenants tenants;
	bool lent; /* the gang may displace those that scavenge: they count as gone */
	const struct release_time *a, *a_end, *b, *b_end;
	uint32_t node, level;
};

void node_timeline_begin(const struct forecast *q, uint32_t node, struct node_timeline *c);
/* The time of the next release; false: there is none. */
bool node_timeline_peek(const struct node_timeline *c, int64_t *ret_at_us);
void node_timeline_step(const struct forecast *q, struct node_timeline *c);
/* How many members of the part have room now, up to `most`. */
uint64_t node_timeline_holds(const struct forecast *q, const struct node_timeline *c, uint32_t part,
			     uint64_t most);
/* The value of the uniformity label on the node; NIL: members of the part may not run there. */
uint32_t node_timeline_value(const struct forecast *q, uint32_t part, uint32_t node);
