/*
 * The worlds of bench_round and bench_explain: clusters, queues and jobs made from a few
 * parameters, the same in every run.
 *
 * A world owns a scheduler and stores which elements run, so that it can apply decisions as the
 * core does: start, preempt (the element is pending again), end.
 */
#pragma once

#include "unit/sched/rig.h"

enum world_style {
	WORLD_MIXED,    /* four shapes of node, labels, tainted gpu nodes; gangs, classes */
	WORLD_ONE_CORE, /* 32-core nodes, one-core jobs of one class */
	WORLD_ARRAY,    /* each job is an array of `queued` elements */
	WORLD_LOW,      /* 12-core nodes, one-core jobs of the least urgent class */
};

struct world_spec {
	const char *name;
	enum world_style style;
	int nodes, queues, shapes;
	int fill, queued; /* jobs to fill the cluster, and pending jobs behind them */
	bool own_labels;  /* each node has a label of its own */
	int users;        /* the jobs have these users in turn; 0: jobs have no user */
	bool user_limits; /* each user has a limit */
	int more;         /* resources besides cpu, memory and gpu: of all nodes, and of some shapes */
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

/*
 * Makes queues and nodes, without jobs. protected_fraction is 0: every preemptible job is evicted.
 */
void world_init(struct world *w, const struct world_spec *spec);
void world_done(struct world *w);
void world_add_jobs(struct world *w, int count);
/*
 * Adds gangs of the most urgent class, members of 1 to 8 cores, to all queues in turn; returns the
 * first id.
 */
uint64_t world_add_storm(struct world *w, int count, uint32_t members);
/* Adds a gang of the most urgent class; returns its id. */
uint64_t world_add_urgent(struct world *w, uint32_t members);
/* Sets protected_fraction for later rounds. */
void world_protect(struct world *w, double fraction);
/* Applies the decisions, as the core does. */
void world_accept(struct world *w, const struct sched_result *result);
/* Ends this many running elements, spread over all of them. */
void world_end(struct world *w, size_t count);
