/*
 * What a round keeps track of while it lasts: whom it may displace, what it has started, what is
 * reserved, and how to undo the gang in hand. Private to src/sched and its tests.
 */
#ifndef SCHED_TRACE_H
#define SCHED_TRACE_H

#include "sched/record.h"

/* One that was started in this round. */
struct fresh {
	struct end end;
	uint32_t node;
};

struct saved {
	uint32_t node, tasks, exclusive;
};

/*
 * A gang that runs, or was started in this round. Evicted, it weighs on level 0 of its nodes
 * alone, so that it is in nobody's way who may displace it; out, it is gone from there too. There
 * are as many as run, so it is one line of cache.
 */
enum actor_state { ACTOR_BOUND, ACTOR_EVICTED, ACTOR_OUT };
struct actor {
	uint32_t job, element, key, row;
	uint32_t task; /* NIL: started in this round */
	uint32_t count;
	uint32_t one;         /* the node of its only member; NIL: does not run */
	uint32_t decision;    /* fresh: which */
	const uint32_t *many; /* nodes, if it has more */
	int64_t start_us;
	const char *why;
	uint32_t taker; /* gone: the actor for whom, where that is known at once; NIL */
	enum actor_state state : 8;
	bool fresh, tried;
};

/* The node of a member; NIL: it does not run. */
static inline uint32_t actor_node(const struct actor *a, uint32_t member)
{
	return a->count == 1 ? a->one : a->many[member];
}

/* What a preempt plugin is shown, and what it says; and the evicted, in order. */
struct running_rows {
	uint32_t *queue, *node, *list;
	int64_t *priority, *start, *request;
	uint8_t *how;
	bool *evict;
	size_t cap;
};

/* Members of the gang with the reservation on one node. */
struct reserved {
	uint32_t node, members;
};

/*
 * The reservation of a round: where the first gang without room starts when those in its way have
 * run to their limits. A gang in hand that would still be there then is bound by it, and may have
 * of a reserved node what is spare.
 */
struct reserve {
	bool made;
	bool whole;     /* it wants whole nodes: nothing is spare */
	bool binding;   /* the gang in hand is bound */
	bool refused;   /* and was refused a node for it */
	uint32_t tries; /* keys for which a start was sought */
	uint32_t job, element, key;
	uint32_t level; /* it may displace what does not weigh there */
	int64_t start_us;
	uint64_t told_id; /* who was told last that it starts, and when */
	int64_t told_us;
	struct reserved *nodes;
	int64_t *spare; /* a row for each */
	size_t count, cap, spare_cap;
	/* What was found before anything was decided holds until somebody tells of a change. */
	uint64_t found_at; /* changes */
	struct found {
		uint32_t key;
		bool can;
	} * found;
	size_t found_count, found_cap;
	struct reserved *found_nodes; /* of the one that can */
	int64_t *found_spare, found_us;
	size_t found_nodes_count, found_nodes_cap, found_spare_cap;
};

/* What the gang in hand has done: a member got a node, or an actor lost its nodes. */
struct step {
	uint32_t what, key;
	uint32_t cutoff;
	bool victim;
};

#endif
