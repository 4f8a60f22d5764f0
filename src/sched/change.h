/*
 * The search for the smallest change with which a waiting job would start now; explain.h says what
 * small is. Private to src/sched.
 */
#ifndef SCHED_CHANGE_H
#define SCHED_CHANGE_H

#include "sched/explain.h"
#include "sched/swap.h"
#include "sched/watch.h"

struct search {
	struct sched *s;
	struct arena *arena;
	uint32_t job;
	const struct sched_round *round;
	const struct dry *dry;
	struct sched_job now; /* what it asks for */
	enum sched_why why;   /* it waits */
	/* The most of each resource that a node has which lacks nothing else; NONE: no such node. */
	int64_t guess[SCHED_RESOURCES];
	struct sched_change best;
	double size;       /* of the best; kind CHANGE_NONE: as large as can be */
	int64_t window_us; /* until the reservation begins; 0: there is none */
	uint32_t tried;
	bool cut;
};

enum { GUESS_NONE = -1 };

/* Looks for it. Nothing of the sched is different afterwards. */
void change_find(struct search *c);

/* Would the job start, were it submitted so? False, too, when the time for the search is over. */
bool change_starts(struct search *c, const struct sched_job *as);

/* amount.c: less of something. All of it in reach when `beyond` is set, else at most half. */
void change_amounts(struct search *c, bool beyond);
/* demand.c: the first of the demands that it could do without. */
void change_demands(struct search *c);

#endif
