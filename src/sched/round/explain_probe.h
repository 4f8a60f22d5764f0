/*
 * A round that is run for one job only: does the job start, and if not, why?
 *
 * Such a round decides as the next one would and leaves nothing behind: no job gets a reason, no
 * shape is remembered as blocked, no token is spent. explain/dry_run.h restores the state that
 * lasts from round to round.
 */
#pragma once

#include "sched/round/limit_check.h"

struct explain_probe {
	uint32_t job;
	bool only_start; /* only find out whether it starts; the round ends when it cannot */
	/*
	 * Called when the job gets its reason, with the nodes as they are at that time. May be
	 * NULL.
	 */
	void (*at_turn)(struct round *r, void *arg);
	void *arg;
	struct reason limited; /* the limit that holds for its subqueue */
	/* The outcome. */
	struct reason why; /* its first reason; text NULL: none */
	uint64_t tried;    /* gangs tried, in all */
	uint64_t before;   /* gangs tried before it got its reason or started; itself not counted */
	bool own;          /* the job itself was tried, not only a job before it */
	bool looked_at, started;
};

/* The reason of a shape that does not fit, if the probe needs it. */
struct reason explain_probe_blocked(struct round *r, uint32_t subqueue, uint32_t found);
/*
 * Does a reason of this job also hold for the probed job: is it the same job, or one before it in
 * its subqueue?
 */
bool explain_probe_concerns(const struct round *r, uint32_t job);
/* A job got a reason; the jobs behind it in its subqueue wait for the same. */
void explain_probe_reason(struct round *r, uint32_t job, struct reason reason);
/* A limit holds for the subqueue at which a row stands, for the row, or for all rows. */
void explain_probe_limit(struct round *r, uint32_t row, enum limit_verdict verdict,
			 struct reason reason);
/* A job is passed over for a reason that holds for its subqueue. */
void explain_probe_passed(struct round *r, uint32_t job);
/* A gang is tried; explain_probe_placed: it was placed. */
void explain_probe_count(struct round *r, uint32_t subqueue);
/* The gang has room, but the order plugin passed it over: it will be tried again. */
void explain_probe_uncount(struct round *r, uint32_t subqueue);
void explain_probe_placed(struct round *r, uint32_t subqueue);
