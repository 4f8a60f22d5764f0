/*
 * The gangs that run, and those that the round has started: who may have to go, and what of them weighs
 * where. A gang that was evicted weighs on level 0 of its nodes alone, so that it is in nobody's way who
 * may displace it; one that is out is gone from there too.
 */
#pragma once

#include "sched/backfill/reservation.h"

struct round;
struct sched;

/* There are as many as run, so it is one line of cache. */
struct running_gang {
	uint32_t job, element, shape, row;
	uint32_t task; /* NIL: started in this round */
	uint32_t count;
	uint32_t one;         /* the node of its only member; NIL: does not run */
	uint32_t decision;    /* fresh: which */
	const uint32_t *many; /* nodes, if it has more */
	int64_t start_us;
	const char *why;
	uint32_t preemptor; /* gone: the gang for whom, where that is known at once; NIL */
	enum gang_state state : 8;
	bool fresh, tried;
};

struct running_gangs {
	struct running_gang *list;
	size_t count, cap;
	uint32_t running;     /* the first so many; the others were started in this round */
	size_t evicted_count; /* of them, now */
	bool any_overfull;    /* is there a node that holds more than it has? */
	uint32_t *gone;       /* those that lost their nodes, in that order */
	size_t gone_cap;
};

/* The node of a member; NIL: it does not run. */
static inline uint32_t running_gang_node(const struct running_gang *a, uint32_t member)
{
	return a->count == 1 ? a->one : a->many[member];
}
/* Members that have not ended. */
uint32_t running_gang_members(const struct running_gang *a);

void running_gang_begin(struct round *r);
/* A gang was started on these nodes. */
void running_gang_add(struct round *r, uint32_t row, uint32_t subqueue, const uint32_t *nodes);
/* Its first members weigh on the levels of their nodes (1), or on level 0 alone (-1). */
void running_gang_weigh(struct sched *s, const struct running_gang *a, uint32_t members, int sign);
/* The members that have nodes weigh on the queue (1), or no more (-1). */
void running_gang_account(struct round *r, const struct running_gang *a, int sign);
void running_gang_sum(const struct model *m, const struct running_gang *a, int64_t *ret_row);
/* On its own nodes, if they have room at its level; unharmful: room that nobody else is in. */
bool running_gang_put_back(struct round *r, uint32_t gang, bool unharmful);
/* It lost its nodes for good. */
void running_gang_lose(struct round *r, uint32_t gang, const char *why);
