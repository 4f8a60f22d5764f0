/*
 * Preemption: room for one member by displacing others, and the end of those that were displaced.
 */
#pragma once

#include "sched/model/node_index.h"
#include "sched/model/tenants.h"

struct round;
struct sched;

/* The free room of each node with the gangs that the search has walked; valid with the current stamp. */
struct displace_walk {
	int64_t *rows;           /* a stamp, and an amount for each resource */
	struct tenants *tenants; /* by node: without those that were walked */
	size_t cap, tenant_cap;
	int64_t stamp;
	/* A walk for a further member like the last one goes on from where that one ended. */
	bool goes_on;
	uint32_t hand, part, node;
	size_t place;
};

/*
 * The node; NIL: none. The gangs whose room is needed there are displaced. O(gangs of the list up to the
 * first node with room), twice; for a further member of the same part only a look at each of them.
 * victim_list.h says what the list costs.
 */
uint32_t displace_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			    uint32_t mark);
/* Displacements were undone: the next walk begins anew. */
void displace_undone(struct sched *s);
/* The gang in hand was placed: the gangs that were displaced for it lose their nodes for good. */
void displace_settle(struct round *r);
