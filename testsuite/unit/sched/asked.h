/*
 * A random world told to a sched, job by job, so that it can be told again with one job changed:
 * several queues, classes, taints, labels, gangs, arrays, limits, with preemption on and off, and
 * some rounds that have been.
 *
 * The same seed and number of rounds make the same world.
 */
#pragma once

#include "sched/explain.h"
#include "unit/sched/rig.h"

enum { ASKED_NODES = 8, ASKED_JOBS = 96, ASKED_QUEUES = 3, ASKED_CLASSES = 4 };

/* A job and the arrays that it points into. */
struct asked_job {
	struct sched_job in;
	struct sched_selector selectors[2];
	struct sched_toleration tolerations[2];
	const char *include[2], *exclude[1];
	uint32_t elements; /* 0 up to this */
	bool held, gone;
	uint32_t running;
	uint64_t waiting; /* bits */
};

struct asked_node {
	struct sched_node in;
	struct sched_label labels[2];
	struct sched_taint taints[2];
	int64_t used[RIG_RESOURCES];
	uint32_t tasks, exclusive;
};

struct asked_task {
	int job;
	uint32_t element, count;
	int nodes[8];
};

struct asked {
	uint64_t random;
	struct rig rig;
	struct sched_class classes[ASKED_CLASSES];
	struct sched_limits limits;
	bool partial, cordoned[ASKED_QUEUES];
	struct sched_fraction queue_limits[ASKED_QUEUES];
	struct asked_node nodes[ASKED_NODES];
	int node_count;
	struct asked_job jobs[ASKED_JOBS];
	int job_count;
	struct asked_task tasks[ASKED_JOBS * 8];
	int task_count;
	int64_t now_us;
};

/* A new world with this order plugin: `rounds` rounds have been, and things have changed since. */
struct asked *asked_new(uint64_t seed, int rounds, const char *order);
void asked_free(struct asked *w);
void asked_round(struct asked *w, struct sched_result *ret);
/* What was decided comes true. */
void asked_accept(struct asked *w, const struct sched_result *res);
/* That, and then time goes by and things change. */
void asked_apply(struct asked *w, const struct sched_result *res);
/* The job is taken back and submitted again like this. */
void asked_replace(struct asked *w, int job, const struct sched_job *as);
/* What the round said, all of it but what it cost; new text. */
char *asked_text(const struct sched_result *res);
