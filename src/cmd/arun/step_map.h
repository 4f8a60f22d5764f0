/*
 * Which tasks of a job run a step. Pure functions, which can be tested without a job.
 *
 * The tasks of a job are on nodes. A step asks for a number of tasks, nodes and cpus. A task of the
 * job runs one task of the step or, if the step has more tasks than the job, as many as it has
 * cpus. It runs more only with --overcommit.
 */
#pragma once

#include "util/arena.h"
#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The tasks of the job, by rank. */
struct map_job {
	uint64_t id;
	uint32_t tasks;
	const char *const *nodes; /* by rank */
	const bool *usable;       /* by rank; NULL: all */
	int64_t cpu_milli;        /* of each task; 0: unknown */
};

/* What the step asks for; 0: not given. */
struct map_want {
	uint32_t tasks, nodes, tasks_per_node;
	int64_t cpu_milli; /* of a task of the step */
	bool overcommit;
	bool cyclic; /* each node in turn gets one, instead of filling node by node */
};

/* The tasks of the step, by rank. */
struct map_task {
	uint32_t rank;  /* of the task of the job that runs it */
	uint32_t layer; /* how many earlier tasks of the step that task runs */
	uint32_t local_rank, local_size;
};

int step_map(const struct map_job *job, const struct map_want *want, struct arena *arena,
	     struct map_task **ret_tasks, uint32_t *ret_count, struct err *err);
