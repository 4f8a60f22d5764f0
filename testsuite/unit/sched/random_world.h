/*
 * A scheduler with a random world: several queues, classes, taints, labels, gangs, arrays, limits,
 * with or without preemption, after some rounds. One job can be replaced, to see the effect of a
 * change.
 *
 * The same seed and number of rounds make the same world.
 */
#pragma once

#include "sched/explain.h"
#include "unit/sched/rig.h"

enum {
	RANDOM_WORLD_NODES = 8,
	RANDOM_WORLD_JOBS = 96,
	RANDOM_WORLD_QUEUES = 3,
	RANDOM_WORLD_CLASSES = 4
};

/* A job and the arrays that it points into. */
struct random_world_job {
	struct sched_job in;
	struct sched_selector selectors[2];
	struct sched_toleration tolerations[2];
	const char *include[2], *exclude[1];
	uint32_t elements; /* number of elements, from 0 */
	bool held, gone;
	uint32_t running;
	uint64_t waiting; /* pending elements, as bits */
};

struct random_world_node {
	struct sched_node in;
	struct sched_label labels[2];
	struct sched_taint taints[2];
	int64_t used[RIG_RESOURCES];
	uint32_t tasks, exclusive;
};

struct random_world_task {
	int job;
	uint32_t element, count;
	int nodes[8];
};

struct random_world {
	uint64_t random;
	struct rig rig;
	struct sched_class classes[RANDOM_WORLD_CLASSES];
	struct sched_limits limits;
	bool partial, cordoned[RANDOM_WORLD_QUEUES];
	struct sched_fraction queue_limits[RANDOM_WORLD_QUEUES];
	struct random_world_node nodes[RANDOM_WORLD_NODES];
	int node_count;
	struct random_world_job jobs[RANDOM_WORLD_JOBS];
	int job_count;
	struct random_world_task tasks[RANDOM_WORLD_JOBS * 8];
	int task_count;
	int64_t now_us;
};

/* Makes a world with this order plugin, runs `rounds` rounds, and then changes it once more. */
struct random_world *random_world_new(uint64_t seed, int rounds, const char *order);
void random_world_free(struct random_world *w);
void random_world_round(struct random_world *w, struct sched_result *ret);
/* Applies the decisions of a round. */
void random_world_accept(struct random_world *w, const struct sched_result *res);
/* Applies the decisions, advances the time, and changes the world at random. */
void random_world_apply(struct random_world *w, const struct sched_result *res);
/* Removes the job and submits it again with these values. */
void random_world_replace(struct random_world *w, int job, const struct sched_job *as);
/* The result of a round as new text, without the cost of the round. */
char *random_world_text(const struct sched_result *res);
