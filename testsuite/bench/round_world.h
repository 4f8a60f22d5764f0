/*
 * The worlds of bench_round: clusters, queues and jobs made from a few numbers, the same each time.
 *
 * A world owns its sched and remembers which elements run, so that it can do what the core does
 * with decisions: start, preempt (and let wait again), end.
 */
#pragma once

#include "unit/sched/rig.h"

enum world_style {
	WORLD_MIXED,    /* four shapes of node, labels, tainted gpu nodes; gangs, classes */
	WORLD_ONE_CORE, /* 32-core nodes, one-core jobs of one class */
	WORLD_ARRAY,    /* each job is an array of `queued` elements */
};

struct world_spec {
	const char *name;
	enum world_style style;
	int nodes, queues, shapes;
	int fill, queued;                  /* jobs that are there to start, and behind them */
	bool own_labels;                   /* each node has one of its own */
	int users;                         /* who take turns; 0: jobs are nobody's */
	bool user_limits;                  /* none of them may have more than a part */
	double target_cold, target_steady; /* ms; 0: none */
	double target_bytes;               /* for each job */
};

struct world {
	const struct world_spec *spec;
	struct rig rig;
	uint64_t *running; /* job << 32 | element, of the elements that were started */
	size_t running_count, running_cap;
	uint64_t next_job;
};

/* Queues and nodes, no jobs. Nobody is protected: whatever may be evicted is. */
void world_init(struct world *w, const struct world_spec *spec);
void world_done(struct world *w);
void world_add_jobs(struct world *w, int count);
/* A gang of the most urgent class; its id. */
uint64_t world_add_urgent(struct world *w, uint32_t members);
/* A part of its share that a queue keeps, in the rounds to come. */
void world_protect(struct world *w, double fraction);
/* What the core does with decisions that it accepts. */
void world_accept(struct world *w, const struct sched_result *result);
/* As many of those that run end, spread over all. */
void world_end(struct world *w, size_t count);
