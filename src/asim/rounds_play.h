/*
 * A scenario being played. Private to src/asim/rounds*.c.
 *
 * The sched knows units: a job alone, or a gang whose members are all there. A unit's id is the
 * index of its last member plus one, so that units stand in the order of submission.
 */
#ifndef ASIM_ROUNDS_PLAY_H
#define ASIM_ROUNDS_PLAY_H

#include "asim/rounds.h"

#include <jansson.h>

enum job_state { JOB_ABSENT, JOB_QUEUED, JOB_RUNNING, JOB_GONE };

struct play_job {
	enum job_state state;
	uint32_t node;
	uint32_t unit, member; /* unit NONE: not told to the sched */
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

/* What a round did, as lists of jobs. */
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
	struct outcome out;
};

/* rounds_print.c: one line. */
void print_round(struct play *p, size_t round, const struct sched_result *result, int64_t micros,
		 FILE *out);

/* rounds_check.c: with its own eyes; what is wrong goes to stderr, and how much is returned. */
int check_round(const struct play *p, size_t round);
/* rounds_check_slices.c: as far as order/slices alone decides. */
int check_slices(const struct play *p, size_t round);
/* rounds_check_most.c: of it, the limits in absolute numbers. */
int check_most(const struct play *p, size_t round);

#endif
