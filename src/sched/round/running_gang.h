/*
 * The running gangs and those that the round has started: which of them may be displaced, and at
 * which levels their use counts. An evicted gang counts on level 0 of its nodes only, so its room
 * is free for all that may displace it. A gang that is out does not count at all.
 */
#pragma once

#include "sched/backfill/reservation.h"

struct round;
struct sched;

/* One cache line, because there is one for each running gang. */
struct running_gang {
	uint32_t job, element, shape, row;
	uint32_t task; /* NIL: started in this round */
	uint32_t count;
	uint32_t one;         /* the node of the only member; NIL: it has ended */
	uint32_t decision;    /* if fresh: the index of its decision */
	const uint32_t *many; /* the nodes, if it has several members */
	int64_t start_us;
	const char *why;
	uint32_t preemptor; /* if out: the gang for which it was displaced; NIL */
	/* was: before it was displaced for the gang in hand; else GANG_OUT */
	enum gang_state state : 8, was : 8;
	bool fresh;
};

struct running_gangs {
	struct running_gang *list;
	size_t count, cap;
	/* the first gangs are running ones; the others were started in this round */
	uint32_t running;
	bool any_overfull; /* a node is overfull */
	uint32_t *gone;    /* gangs that lost their nodes, in that order */
	size_t gone_cap;
};

/* The node of a member; NIL: it has ended. */
static inline uint32_t running_gang_node(const struct running_gang *a, uint32_t member)
{
	return a->count == 1 ? a->one : a->many[member];
}
/* Members that have not ended. */
uint32_t running_gang_members(const struct running_gang *a);

void running_gang_begin(struct round *r);
/* A gang was started on these nodes. */
void running_gang_add(struct round *r, uint32_t row, uint32_t subqueue, const uint32_t *nodes);
/* The gang counts on the levels of its nodes (1), or on level 0 alone (-1). */
void running_gang_count_at_levels(struct sched *s, const struct running_gang *a, int sign);
/* The use of the gang is added to its queue (1) or subtracted (-1). */
void running_gang_account(struct round *r, const struct running_gang *a, int sign);
void running_gang_sum(const struct model *m, const struct running_gang *a, int64_t *ret_row);
/* Put an evicted gang back on its own nodes: nobody has taken its room. */
void running_gang_put_back(struct round *r, uint32_t gang);
/* The gang loses its nodes; the round preempts it. */
void running_gang_lose(struct round *r, uint32_t gang, const char *why);
