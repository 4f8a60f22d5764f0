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
 *
 *	With urgency, a member without room displaces gangs of lower classes, except those of class
 *	high and exclusive ones. They are walked one after the other: of the lowest class, of the queue
 *	with the greatest cost over weight (the whole gang in hand counts in its own queue, what was
 *	walked does not count; of equal queues the last by name), the last by priority, start,
 *	submission, id and element. The walk ends with the first gang on one of whose nodes the member
 *	fits, if all that were walked there are gone; of several such nodes the best counts, as above.
 *	A gang that was walked there stays if the member fits without it, the last one first; the
 *	others are displaced. Nobody is displaced by a gang that does not start. A gang
 *	that must be on one rack takes the rack on which it displaces nobody; then the one on which the
 *	last gang that it displaces is walked earliest; then the one on which it displaces fewest tasks.
 *	A gang that was displaced after its start in the round waits, and is not tried again.
 *
 * Worlds have time limits or urgency, not both.
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
	bool counts; /* in the total resources, since the round began */
	bool over;   /* it had less than its gangs use when the round began */
	int tasks, exclusive, order;
};

struct naive_shape {
	int64_t request[NAIVE_RESOURCES];
	int class; /* 0 low, 1 mid, 2 high */
	int members, rack, include, exclude;
	bool distinct, exclusive, tolerates, uniform;
};

/* NAIVE_LOST: displaced in this round. */
enum naive_state { NAIVE_NONE, NAIVE_WAITS, NAIVE_RUNS, NAIVE_LOST };

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
	bool urgency;
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

/* An element. */
struct naive_unit {
	int job, element;
};
enum { NAIVE_UNITS = NAIVE_JOBS * NAIVE_ELEMENTS };

/* An attempt to place a gang. */
struct naive_trial {
	struct naive after;       /* the world with its members, and without the displaced units */
	int nodes[NAIVE_MEMBERS]; /* up to now */
	int members, rank, tasks; /* rank: of the displaced unit that was walked last; -1: none */
	struct naive_unit lost[NAIVE_UNITS];
	int lost_count;
};

/*
 * naive_displace.c: finds a node for the next member of a gang by displacing others; -1: none. The
 * attempt began with the world `before`. rack -1: any.
 */
int naive_displace(const struct naive *before, int job, int rack, struct naive_trial *t);

/* naive.c: used by naive_displace.c. */
/* Whether the next member of the attempt may run on the node, which has this much room. */
bool naive_fits(const struct naive *w, int job, int rack, const struct naive_trial *t, int node);
bool naive_better(const struct naive_node *a, const struct naive_node *b);
/* Adds (1) or removes (-1) the use of an element. */
void naive_use(struct naive *w, int job, int element, int sign);
/* The cost over weight of the queue if it had these amounts. */
double naive_cost(const struct naive *w, int queue, const double *amounts);

/* Record that an element starts on these nodes, or that it ends. */
void naive_run(struct naive *w, int job, int element, const int *nodes);
void naive_end(struct naive *w, int job, int element);
/* Writes the decisions of one round in the format of rig_decisions(). The world is not changed. */
void naive_round(const struct naive *world, struct buf *out, struct naive_reserve *ret_reserve);
