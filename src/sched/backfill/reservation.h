/*
 * The reservation of a round: where the first gang without room starts when those in its way have run to
 * their limits. A gang in hand that would still be there then is bound by it, and may have of a
 * reserved node what is spare.
 *
 * Input: the model, what the round started, and which of the running gangs it has evicted. What was
 * found before a round decided anything is kept until the model changes.
 */
#pragma once

#include "sched/model/model.h"

/* A member that was started in this round, before anything was reserved. */
struct fresh_member {
	struct release_time end;
	uint32_t node;
};

/* The nodes of the gang with the reservation. */
struct reserved {
	struct reserved_node {
		uint32_t node, members;
	} * nodes;
	int64_t *spare; /* a row for each */
	size_t count, cap, spare_cap;
};

struct reservation {
	bool made;
	bool whole;     /* it wants whole nodes: nothing is spare */
	bool binding;   /* the gang in hand is bound */
	bool refused;   /* and was refused a node for it */
	uint32_t tries; /* shapes for which a start was sought */
	uint32_t job, element, shape;
	uint32_t level; /* it may displace what does not weigh there */
	int64_t start_us;
	uint64_t reported_id; /* who was told last that it starts, and when */
	int64_t reported_us;
	struct reserved at;
	/* What was found before anything was decided holds until somebody tells of a change. */
	uint64_t found_when; /* changes */
	struct found {
		uint32_t shape;
		bool can;
	} * found;
	size_t found_count, found_cap;
	struct reserved found_at; /* of the one that can */
	int64_t found_us;
	struct fresh_member *fresh;
	size_t fresh_count, fresh_cap;
};

/* What a round has done to a gang that runs. */
enum gang_state { GANG_BOUND, GANG_EVICTED, GANG_OUT };

/* The round in which the start is sought. */
struct reservation_search {
	struct model *m;
	struct reservation *v;
	struct arena *arena;
	int64_t now_us;
	uint8_t *absent; /* tasks: enum gang_state. NULL: all are bound */
	bool undecided;  /* the round has decided nothing, and evicted nobody */
};

/* When the gang would start at the latest, and where; false: it cannot be told. */
bool reservation_find(const struct reservation_search *in, uint32_t shape);
/* Has the reservation of the node too little to spare for a member of the part? */
bool reservation_lacks(const struct model *m, const struct reservation *v, uint32_t node,
		       uint32_t part);
/* A member of the gang in hand gets the node (1) or loses it (-1). */
void reservation_take(const struct model *m, struct reservation *v, uint32_t node, uint32_t part,
		      int sign);
/* May the gang in hand not have the node, for the sake of the reservation? */
static inline bool reservation_refuses(const struct model *m, struct reservation *v, uint32_t node,
				       uint32_t part)
{
	if (!v->binding || m->nodes.list[node].reserved == NIL ||
	    !reservation_lacks(m, v, node, part))
		return false;
	v->refused = true;
	return true;
}
