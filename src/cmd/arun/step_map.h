/*
 * Which tasks of a job a step runs in. Pure, so that it can be tested without a job.
 *
 * A job's tasks lie on nodes; a step asks for so many tasks, on so many nodes, of so many cpus. A
 * task of the job takes one of the step's, or, when more are asked for than it has tasks, as many
 * as it has cpus. Never more, unless the user says so.
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
	const char *const *nodes; /* of each rank */
	const bool *usable;       /* by rank; NULL: all of them */
	int64_t cpu_milli;        /* of each task; 0: not known */
};

/* 0: not said. */
struct map_want {
	uint32_t tasks, nodes, tasks_per_node;
	int64_t cpu_milli; /* of a task of the step */
	bool overcommit;
	bool cyclic; /* one to each node in turn, instead of filling node by node */
};

/* Of the step's tasks, by their rank in the step. */
struct map_task {
	uint32_t rank;  /* of the job's task it runs in */
	uint32_t layer; /* how many others of the step that one has already */
	uint32_t local_rank, local_size;
};

int step_map(const struct map_job *job, const struct map_want *want, struct arena *arena,
	     struct map_task **ret_tasks, uint32_t *ret_count, struct err *err);
