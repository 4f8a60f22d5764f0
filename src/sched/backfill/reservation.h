/*
 * The reservation of a round: the nodes and the time at which the first gang without room starts at
 * the latest, when the tasks in its way have used their time limits. A gang that would still run at
 * that time is bound by it: on a reserved node it gets only what is spare.
 *
 * Input: the model, what the round started, and which running gangs it has evicted. A result from
 * before a round decided anything is kept until the model changes.
 */
#pragma once

#include "sched/model/model.h"

/* A member that was started in this round before the reservation was made, or later on one of its nodes. */
struct fresh_member {
	struct release_time end;
	uint32_t node, gang; /* gang: among the running gangs of the round */
	bool later;          /* after the reservation was made */
};

/* The nodes of the gang with the reservation. */
struct reserved {
	struct reserved_node {
		uint32_t node, members;
	} * nodes;
	int64_t *spare, *need; /* a row for each; need: what the gang uses there */
	size_t count, cap, spare_cap, need_cap;
};

struct reservation {
	bool made;
	bool binding;   /* the current gang is bound */
	bool refused;   /* the reservation kept the current gang off a node */
	uint32_t tries; /* shapes whose start was predicted in this round */
	uint32_t job, element, shape;
	uint32_t level; /* it may displace tasks that do not count at this level */
	int64_t start_us;
	int64_t limit_us; /* the time limit of the current gang, lowered to end at start_us; 0: its own */
	/* The element that held the reservation at the end of the last round, and since when. */
	bool held;
	uint32_t holder_element;
	uint64_t holder_id;
	int64_t since_us;
	uint64_t since_born;  /* tasks with a higher number (model/tasks.h) began later */
	uint64_t before;      /* elements that the round started before it made the reservation */
	uint64_t reported_id; /* the job whose reason contained its start last, and that start */
	int64_t reported_us;
	struct reserved at;
	/* Results from before any decision; valid until the model changes. */
	uint64_t found_when; /* model.changes at that time */
	struct found {
		uint32_t shape;
		bool can;
	} * found;
	size_t found_count, found_cap;
	struct reserved found_at; /* of the shape whose `can` is set */
	int64_t found_us;
	struct fresh_member *fresh;
	size_t fresh_count, fresh_cap;
};

/*
 * The state of a running gang in a round: it has its nodes; it is evicted, and may be put back; it
 * has lost its nodes.
 */
enum gang_state { GANG_PLACED, GANG_EVICTED, GANG_OUT };

/* The round for which the start is predicted. */
struct reservation_search {
	struct model *m;
	struct reservation *v;
	struct arena *arena;
	int64_t now_us;
	uint8_t *states; /* by task: enum gang_state. NULL: all are GANG_PLACED */
	bool undecided;  /* the round has decided nothing and evicted nothing */
};

/* The latest start of the gang, and its nodes; false: unknown. */
bool reservation_find(const struct reservation_search *in, uint32_t shape);
/* Is less than a member of the part needs spare on the node? */
bool reservation_lacks(const struct model *m, const struct reservation *v, uint32_t node,
		       uint32_t part);
/* A member of the current gang gets the node (1) or loses it (-1). */
void reservation_take(const struct model *m, struct reservation *v, uint32_t node, uint32_t part,
		      int sign);
/* Does the reservation keep the current gang off the node? */
static inline bool reservation_refuses(const struct model *m, struct reservation *v, uint32_t node,
				       uint32_t part)
{
	if (!v->binding || m->nodes.list[node].reserved == NIL ||
	    !reservation_lacks(m, v, node, part))
		return false;
	v->refused = true;
	return true;
}
