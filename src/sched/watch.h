/*
 * A round that is run for one job only: what becomes of it there, and why. Private to src/sched.
 *
 * Such a round decides as the next one would, and leaves nothing behind: no reason is given to
 * anybody, no key is remembered as blocked, no token is spent; dry_begin and dry_end see to what
 * lasts from round to round.
 */
#ifndef SCHED_WATCH_H
#define SCHED_WATCH_H

#include "sched/round.h"

struct watch {
	uint32_t job;
	bool only_start; /* does it start? Nothing else matters, and the round ends when it cannot */
	/* Called when it is told why it waits, with the nodes as they are at its turn. May be NULL. */
	void (*at_turn)(struct round *r, void *arg);
	void *arg;
	struct reason limited; /* what holds for its lane */
	/* what became of it */
	struct reason why; /* the first that it was told; text NULL: none */
	uint64_t tried;    /* gangs, in all */
	uint64_t before;   /* gangs, before it was told or started; not itself */
	bool own;          /* it was tried itself */
	bool looked_at, started;
};

/* A key does not fit: why, if that is what is asked. */
struct reason watch_blocked(struct round *r, uint32_t lane, uint32_t found);
/* Does what this one is told hold for the job, too: is it the job, or before it in its lane? */
bool watch_concerns(const struct round *r, uint32_t job);
/* A job was told why it waits; those behind it in its lane wait for the same. */
void watch_reason(struct round *r, uint32_t job, struct reason reason);
/* A limit holds for the lane where a row stands, for the row, or for all. */
void watch_limit(struct round *r, uint32_t row, enum verdict verdict, struct reason reason);
/* A job is passed over because of what holds for its lane. */
void watch_passed(struct round *r, uint32_t job);
/* A gang is tried; it was placed. */
void watch_count(struct round *r, uint32_t lane);
/* It would have room, and was passed over: it will be tried again. */
void watch_uncount(struct round *r, uint32_t lane);
void watch_placed(struct round *r, uint32_t lane);

/*
 * dry.c: what lasts from round to round is noted, and the plugins get new handles; after each round
 * that does not count it is put back; in the end so are the handles. 0 or what a plugin said.
 */
struct dry;
int dry_begin(struct sched *s, struct arena *a, struct dry **ret_dry);
void dry_rewind(struct sched *s, const struct dry *dry);
void dry_end(struct sched *s, const struct dry *dry);

#endif
