/*
 * A round that is run for one job only: what becomes of it there, and why.
 *
 * Such a round decides as the next one would, and leaves nothing behind: no reason is given to
 * anybody, no shape is remembered as blocked, no token is spent; explain/dry_run.h sees to what
 * lasts from round to round.
 */
#pragma once

#include "sched/round/limit_check.h"

struct explain_probe {
	uint32_t job;
	bool only_start; /* does it start? Nothing else matters, and the round ends when it cannot */
	/* Called when it is told why it waits, with the nodes as they are at its turn. May be NULL. */
	void (*at_turn)(struct round *r, void *arg);
	void *arg;
	struct reason limited; /* what holds for its subqueue */
	/* what became of it */
	struct reason why; /* the first that it was told; text NULL: none */
	uint64_t tried;    /* gangs, in all */
	uint64_t before;   /* gangs, before it was told or started; not itself */
	bool own;          /* it was tried itself */
	bool looked_at, started;
};

/* A shape does not fit: why, if that is what is asked. */
struct reason explain_probe_blocked(struct round *r, uint32_t subqueue, uint32_t found);
/* Does what this one is told hold for the job, too: is it the job, or before it in its subqueue? */
bool explain_probe_concerns(const struct round *r, uint32_t job);
/* A job was told why it waits; those behind it in its subqueue wait for the same. */
void explain_probe_reason(struct round *r, uint32_t job, struct reason reason);
/* A limit holds for the subqueue where a row stands, for the row, or for all. */
void explain_probe_limit(struct round *r, uint32_t row, enum limit_verdict verdict,
			 struct reason reason);
/* A job is passed over because of what holds for its subqueue. */
void explain_probe_passed(struct round *r, uint32_t job);
/* A gang is tried; it was placed. */
void explain_probe_count(struct round *r, uint32_t subqueue);
/* It would have room, and was passed over: it will be tried again. */
void explain_probe_uncount(struct round *r, uint32_t subqueue);
void explain_probe_placed(struct round *r, uint32_t subqueue);
