/*
 * A simple scheduler: it tries every job on every node, and keeps nothing from one step to the next.
 * It shares no code with src/sched and follows the rules alone:
 *
 *	Serve the queue whose next gang has the most urgent class; of equal queues the one with the
 *	least cost over weight after the gang (the largest share of a resource, times the factor);
 *	of equal queues the first by name. The order in a queue: class, lower priority, earlier
 *	submission, lower id. A member goes to the node with the least free cpu, then memory, then
 *	gpu, on which it fits; of equal nodes the one that was declared first. A gang starts with all
 *	members or not at all. A gang that does not fit is skipped, and so are all gangs of the same
 *	shape, except one that is already the next gang of its queue.
 *
 *	The first gang that does not fit, but would fit after the end of some time limits, gets a
 *	reservation: the earliest such end, and the nodes that it would have then. Only the first few
 *	shapes are considered. A later gang that may run beyond that time must leave on each of these
 *	nodes the room that the reservation needs; if it cannot, it is skipped, and so are all gangs
 *	of its shape that would run as long.
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
	int rack; /* the value of label rack; -1: none */
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

/* The reservation of a round, and the jobs that it held back. */
struct naive_reserve {
	bool made, whole;
	int job, element, asked;
	int64_t start;
	int uses[NAIVE_NODES]; /* members */
	int64_t spare[NAIVE_NODES][NAIVE_RESOURCES];
	bool held[NAIVE_JOBS];
};

/* Record that an element starts on these nodes, or that it ends. */
void naive_run(struct naive *w, int job, int element, const int *nodes);
void naive_end(struct naive *w, int job, int element);
/* Writes the decisions of one round in the format of rig_decisions(). The world is not changed. */
void naive_round(const struct naive *world, struct buf *out, struct naive_reserve *ret_reserve);
