/*
 * When a job that does not exist would start if it were submitted now.
 *
 * The caller adds the job under SCHED_TRIAL_ID, asks, and removes it again. The answer comes from a
 * round whose decisions are discarded, as in explain.h. If the job neither starts in that round nor
 * gets its reservation, the estimate counts the running tasks alone: it is the earliest time at which
 * they leave room.
 */
#pragma once

#include "sched/sched.h"

/* No job has this id. */
#define SCHED_TRIAL_ID (SCHED_TASK_IDS - 1)

/* Everything in it lives in its arena. */
struct sched_trial {
	struct arena *arena;
	enum sched_why why; /* WHY_NONE: it starts in the next round */
	const char *text;   /* one line, with its numbers */
	int64_t start_us;   /* estimate; 0: not known, or WHY_NONE */
	uint64_t before;    /* gangs that are tried before it and that the estimate leaves out */
	const char **nodes; /* of the start, each once */
	size_t node_count;
	uint64_t preempts; /* with WHY_NONE: gangs that the round would preempt for it */
};

/* 0, or the error of a plugin that is opened. Costs a round and a prediction. */
int sched_trial_run(struct sched *s, const struct sched_round *round, struct sched_trial *ret);
void sched_trial_done(struct sched_trial *t);
