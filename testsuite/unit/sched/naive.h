/*
 * The scheduler again, the plain way: every job tried on every node, nothing kept from one step to
 * the next. It shares no code with src/sched and is written from the rules alone:
 *
 *	Serve the queue whose next gang has the most urgent class; of equals the one that the gang
 *	leaves with the least cost over weight (the largest share of a resource, times the factor);
 *	of equals the lesser name. Inside a queue: class, then lower priority, earlier submission,
 *	lower id. A member goes to the node where it fits with the least free cpu, then memory, then
 *	gpu, then the one declared first. All members or none. What does not fit is passed over,
 *	and so is what else has the same shape, save what is already the next gang of its queue.
 *
 *	The first gang that does not fit, of those that would if some of what runs ended at its
 *	limit, holds a reservation: the earliest such end, and the nodes it would have then. Only
 *	the first few shapes are asked. A gang that comes after it and may run beyond that time must
 *	leave on each of those nodes what the reservation needs there; where it can do so nowhere,
 *	it is passed over, and so is what else has its shape and would run that long.
 */
#pragma once

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	NAIVE_NODES = 12,
	NAIVE_SHAPES = 10,
	NAIVE_QUEUES = 4,
	NAIVE_JOBS = 80,
	NAIVE_ELEMENTS = 6,
	NAIVE_MEMBERS = 5,
	NAIVE_RESOURCES = 3,
	NAIVE_ASKED = 8,
};

struct naive_node {
	int64_t total[NAIVE_RESOURCES], free[NAIVE_RESOURCES];
	int rack; /* -1: no such label */
	bool tainted, up, present;
	int tasks, exclusive, order;
};

struct naive_shape {
	int64_t request[NAIVE_RESOURCES];
	int class; /* 0 low, 1 mid, 2 high */
	int members, rack, include, exclude;
	bool distinct, exclusive, tolerates, uniform;
};

enum naive_state { NAIVE_NONE, NAIVE_WAITS, NAIVE_RUNS };

struct naive_job {
	bool present, held;
	int queue, shape, throttle;
	int64_t priority, submit, limit; /* limit 0: none */
	int64_t start[NAIVE_ELEMENTS];
	enum naive_state state[NAIVE_ELEMENTS];
	int nodes[NAIVE_ELEMENTS][NAIVE_MEMBERS];
};

struct naive {
	struct naive_node nodes[NAIVE_NODES];
	struct naive_shape shapes[NAIVE_SHAPES];
	struct naive_job jobs[NAIVE_JOBS];
	double factor[NAIVE_QUEUES];
	bool cordoned[NAIVE_QUEUES];
	int orders;
	int64_t now;
};

/* What a round reserved, and whom it held back for it. */
struct naive_reserve {
	bool made, whole;
	int job, element, asked;
	int64_t start;
	int uses[NAIVE_NODES]; /* members */
	int64_t spare[NAIVE_NODES][NAIVE_RESOURCES];
	bool held[NAIVE_JOBS];
};

/* An element starts on these nodes, or ends. */
void naive_run(struct naive *w, int job, int element, const int *nodes);
void naive_end(struct naive *w, int job, int element);
/* Decisions of one round, as rig_decisions writes them; the world is not changed. */
void naive_round(const struct naive *world, struct buf *out, struct naive_reserve *ret_reserve);
