/*
 * Elastic jobs for tests: their submission, their tasks, and a scheduler whose model follows the records.
 */
#pragma once

#include "core/state/extra.h"
#include "fed_sched.h"
#include "fixture.h"

/* The spec of an elastic job of one group; a test changes it before the submission. */
struct elastic {
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Resource cpu, *list[1];
};

struct cluster {
	struct test_world w;
	struct fed_sched live;
};

void elastic_init(struct elastic *p, uint32_t tasks, uint32_t least);
void world_two(struct test_world *w);
/* "pending/running/succeeded/failed" of all tasks. */
const char *counts(struct test_world *w, uint64_t job);
/* The id of an extra task of the first elastic lease of the world, which has this number. */
uint64_t extra(uint32_t lease, uint32_t n);
const struct effect *order_to(const struct test_world *w, enum order_kind kind, uint32_t rank);
/* The list of hosts in the settings order to this rank; "": there was none. */
const char *hosts_told(struct test_world *w, uint32_t rank);
/* Submits the job and starts its first tasks on n1. */
uint64_t run_elastic(struct test_world *w, struct elastic *p);
void round_of(struct cluster *c);
/* Reports the start of each task that the last input launched, on its node. */
void start_launched(struct cluster *c);
/* Runs rounds, whose tasks start at once, until one decides nothing. */
void settle(struct cluster *c);
uint64_t submit(struct cluster *c, struct elastic *p);
/* Ends a job of one task. The node where it does not run has no such task. */
void end_single(struct cluster *c, uint64_t job);
void cluster_init(struct cluster *c, const char *order);
void cluster_done(struct cluster *c);
