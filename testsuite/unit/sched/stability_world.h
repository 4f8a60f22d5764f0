/*
 * Random worlds that preempt, for the measure of preemption stability: a cluster is filled, jobs
 * are submitted until a round preempts, and then the preempted jobs come back.
 *
 * The same kind and seed make the same world.
 */
#pragma once

#include "unit/sched/rig.h"

enum {
	STABILITY_JOBS = 64,
	STABILITY_NODES = 4,
	STABILITY_QUEUES = 4,
	STABILITY_CLASSES = 4,
	STABILITY_MEMBERS = 3,
	STABILITY_RESOURCES = 2,
	STABILITY_LAST = 50 /* a world that is not quiet after so many rounds is never quiet */
};

struct stability_kind {
	const char *name;
	int classes; /* that may be preempted */
	bool mixed, memory,
		gangs; /* sizes in cpus; sizes in memory; a third of the jobs are gangs */
};

/* How preempted jobs come back, and what becomes of the jobs that merely wait. */
enum stability_way {
	STABILITY_NEW,   /* as new jobs, in the order of their ids; the others stay away */
	STABILITY_PLACE, /* at their old place; the others stay away */
	STABILITY_ALL,   /* at their old place; the others wait, as in the controller */
	STABILITY_WAYS
};

struct stability_job {
	uint64_t id; /* 0: it stays away */
	int queue, class, members;
	int64_t request[STABILITY_RESOURCES], priority, submit_us;
	bool waits, runs;
	int nodes[STABILITY_MEMBERS];
};

/* What a round did. */
struct stability_round {
	int decided, preempted;
	/* The jobs that were preempted, by id, and for which. */
	struct stability_job *gone[STABILITY_JOBS];
	uint64_t for_job[STABILITY_JOBS];
	double placed, displaced; /* the sums of the dominant parts of the cluster */
};

struct stability_world {
	uint64_t random;
	const struct stability_kind *kind;
	struct sched *s;
	struct sched_class classes[STABILITY_CLASSES];
	int class_count, node_count, queue_count;
	double factors[STABILITY_QUEUES];
	int64_t nodes[STABILITY_NODES][STABILITY_RESOURCES], totals[STABILITY_RESOURCES];
	struct stability_job jobs[STABILITY_JOBS];
	int job_count;
	int64_t now_us;
	uint64_t ids;
	bool talk; /* prints the world and what happens in it */
};

/* What became of a world. */
struct stability_fate {
	bool preempts; /* a round preempted; else nothing below is set */
	bool again;    /* the round after it preempts again */
	bool wakes;    /* a round in which nothing waits decides something */
	int rounds;    /* that decide something, after the first one; STABILITY_LAST: no end */
	double placed, displaced; /* in the first round that preempts */
};

/* Plugins for all worlds; they are loaded once. Ends the test if that fails. */
void stability_load(struct rig *r);

/* A world without jobs. kind and classes must be set; queues and nodes are added as they are set. */
void stability_open(struct stability_world *w, const struct rig *r);
void stability_done(struct stability_world *w);
void stability_submit(struct stability_world *w, struct stability_job *j);
/* The waiting job starts on its nodes. */
void stability_start(struct stability_world *w, struct stability_job *j);
/* Runs a round and applies its decisions. */
void stability_round(struct stability_world *w, struct stability_round *ret);
/*
 * Lets the jobs that a round preempted come back and runs rounds until one decides nothing. The last round
 * is left in r. Returns the number of rounds that decided something; *ret_again: the first one preempted.
 */
int stability_settle(struct stability_world *w, struct stability_round *r, enum stability_way way,
		     bool *ret_again);

/* Plays a random world. */
void stability_play(const struct rig *r, const struct stability_kind *kind, uint64_t seed,
		    enum stability_way way, bool talk, struct stability_fate *ret);
