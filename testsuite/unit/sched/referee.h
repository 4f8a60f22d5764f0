/*
 * The whole round with eviction and preemption, the plain way. It shares no code with src/sched:
 * what a node has free, at any level, is summed up from all jobs each time it is asked for, and an
 * attempt that fails is undone by taking back a copy of the world.
 */
#ifndef REFEREE_H
#define REFEREE_H

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	REF_NODES = 6,
	REF_QUEUES = 3,
	REF_JOBS = 60,
	REF_MEMBERS = 4,
	REF_CLASSES = 5,
	REF_DIMS = 3
};

struct ref_node {
	int64_t total[REF_DIMS];
	int rack; /* -1: no such label */
	bool up;
};

struct ref_class {
	int64_t priority;
	bool fair, urgent;
};

struct ref_shape {
	int64_t request[REF_DIMS];
	int class, members, rack;
	bool distinct, uniform;
};

enum ref_state { REF_NONE, REF_WAITS, REF_RUNS };
enum ref_phase { PHASE_IDLE, PHASE_BOUND, PHASE_EVICTED, PHASE_OUT };

struct ref_job {
	enum ref_state state;
	int queue, shape;
	int64_t priority, submit, start;
	int nodes[REF_MEMBERS]; /* -1: none */
	enum ref_phase phase;   /* of a round */
	bool fresh;
};

struct ref {
	struct ref_node nodes[REF_NODES];
	struct ref_class classes[REF_CLASSES];
	struct ref_shape shapes[REF_JOBS];
	struct ref_job jobs[REF_JOBS];
	double factor[REF_QUEUES], protected_fraction;
	int shape_count;
	/* of a round */
	int table[REF_JOBS], table_count;
	int gone[REF_JOBS], gone_count;
	int urgent;
	bool blocked[REF_JOBS]; /* shapes */
};

/* Decisions of one round, as rig_decisions writes them. */
void ref_round(const struct ref *world, struct buf *out);

#endif
