/*
 * The state of a scenario that is played: its jobs, nodes and gangs at present. play.c owns it;
 * checks and printing read it.
 *
 * The scheduler knows units: a single job, or a gang with all its members. The id of a unit is the
 * index of its last member plus one, so units are in the order of submission.
 */
#pragma once

#include "asim/rounds/scenario.h"

enum job_state { JOB_ABSENT, JOB_QUEUED, JOB_RUNNING, JOB_GONE };

struct play_job {
	enum job_state state;
	uint32_t node;
	uint32_t unit, member; /* unit NONE: not added to the sched */
	char *why;
};

struct play_unit {
	uint32_t *jobs; /* members, in order */
	uint32_t count, left;
};

struct play_node {
	bool removed, cordoned;
};

struct play_gang {
	uint32_t *jobs; /* queued members that wait for the others */
	size_t count, cap;
};

/* The result of a round, as lists of jobs. */
struct outcome {
	uint32_t *scheduled, *preempted, *failed;
	const char **why; /* of preempted */
	size_t scheduled_count, preempted_count, failed_count;
	size_t scheduled_cap, preempted_cap, failed_cap, why_cap;
};

struct play {
	const struct scenario *sc;
	struct sched *sched;
	struct play_job *jobs;
	struct play_unit *units; /* by last member */
	struct play_node *nodes;
	struct play_gang *gangs;
	int64_t now_us;
	int64_t floating[SCHED_RESOURCES]; /* present totals of floating resources */
	struct outcome out;
};
