/*
 * The search for the smallest change with which a waiting job would start now; explain.h defines
 * "smallest".
 */
#pragma once

#include "sched/explain.h"
#include "sched/round/state.h"

struct explain_search {
	struct sched *s;
	struct model *m; /* of s */
	struct arena *arena;
	uint32_t job;
	const struct sched_round *round;
	const struct dry_run *dry;
	struct sched_job now; /* its present request */
	enum sched_why why;   /* why it waits */
	/*
	 * For each resource, the largest free amount on a node that lacks nothing else; NONE: no
	 * such node.
	 */
	int64_t guess[SCHED_RESOURCES];
	struct sched_change best;
	double size;       /* of the best; without one, the largest */
	int64_t window_us; /* time until the reservation begins; 0: there is none */
	uint32_t tried;
	bool cut;
};

enum { GUESS_NONE = -1 };

/* Find the change. The sched is unchanged afterwards. */
void explain_change_find(struct explain_search *c);

/* Would the job start with this request? Also false when the time for the search is over. */
bool explain_change_starts(struct explain_search *c, const struct sched_job *as);

/* Does the round start an element of the job? */
bool explain_change_decided(const struct sched_result *res, uint64_t job);
