/*
 * A round of the referee in hand. Private to referee*.c.
 */
#pragma once

#include "unit/sched/referee.h"

/* Of a unit in the round: it waits, has its nodes, weighs on what is free alone, lost its nodes. */
enum ref_phase { PHASE_IDLE, PHASE_BOUND, PHASE_EVICTED, PHASE_OUT };

/* What an attempt may change, and is copied to undo it. */
struct ref_stand {
	enum ref_phase phase[REF_UNITS];
	int nodes[REF_UNITS][REF_MEMBERS];
	int gone[REF_UNITS], gone_count;
	int urgent;                         /* members placed in room that is yet to be made */
	int64_t spare[REF_NODES][REF_DIMS]; /* beside what is reserved */
};

/*
 * The first gang without room, of those that would have it at its level if some of what runs ended
 * at its limit: from when on, and where. Whoever may still be there then, and weighs on that level,
 * must leave it what it needs there.
 */
struct ref_reserve {
	bool made, binding; /* binding: the gang in hand */
	int unit, asked;
	int64_t start_us, level;
	bool leveled;        /* else everything weighs */
	int uses[REF_NODES]; /* members */
	bool held[REF_UNITS];
};

struct bout {
	const struct ref *w;
	const struct ref_round *in;
	struct ref_purse *purse;
	struct ref_result *result;
	struct ref_stand now;
	bool fresh[REF_UNITS];
	const char *why[REF_UNITS];
	int table[REF_UNITS], table_count;
	int started[REF_UNITS], started_count;
	bool over[REF_NODES];
	struct ref_reserve reserve;
	bool blocked[REF_JOBS]; /* shapes */
	/* Shapes that a limit keeps this queue from: for one user, or for those under no limit. */
	bool limited[REF_QUEUES][REF_JOBS][REF_USERS + 2][REF_COUNTS];
	struct ref_use begun[REF_QUEUES][REF_USERS + 1]; /* in this round */
	bool closed[REF_QUEUES], looked[REF_UNITS];
	int seen[REF_QUEUES];
	int new_tasks;
	double new_amounts[REF_DIMS];
	bool evicted_only, drained, terminal;
};

/* referee_place.c */
bool ref_place(struct bout *b, int unit);
/* On its own nodes again, if they have room for it; unharmful: room that nobody else is in. */
bool ref_put_back(struct bout *b, int unit, bool unharmful);
/* Is one of its nodes in want, at its own level? */
bool ref_in_the_way(const struct bout *b, int unit);
void ref_mark_over(struct bout *b);
/* Members that run. */
int ref_running(const struct bout *b, int unit);

/* referee_reserve.c */
struct ref_ground {
	int64_t room[REF_NODES][REF_DIMS], own[REF_NODES][REF_DIMS]; /* own: used by one queue */
	int tasks[REF_NODES], exclusive[REF_NODES];
};
/* Free at a level: NULL is what is truly free, else what this priority could have. */
void ref_survey(const struct bout *b, const int64_t *level, int queue, struct ref_ground *g);
bool ref_fits(const int64_t *have, const int64_t *want);
int64_t ref_most_urgent(const struct ref *w, int unit);
int ref_compare_room(const int64_t *a, const int64_t *b);
const char *ref_next_value(const struct ref *w, int label, const char *after);
/* A gang has no room: does it get the reservation? */
void ref_seek(struct bout *b, int unit);
/* Does the reservation bind the gang? */
bool ref_binds(const struct bout *b, int unit);
/* Must the gang in hand, being bound, keep off the node? */
bool ref_refuses(const struct bout *b, int unit, const struct ref_part *part, int node);
void ref_take(struct bout *b, const struct ref_part *part, int node);
/* It would have room if it were not bound: and with it all that are like it. */
void ref_hold(struct bout *b, int unit);
void ref_tell_reserve(const struct bout *b, struct buf *out);

/* referee_share.c */
void ref_find_shares(struct bout *b);
double ref_cost(const struct bout *b, const double *amounts);
/* What the queue has, and a unit of it more (-1: none): all members, or those that run. */
void ref_amounts(const struct bout *b, int queue, int unit, double *ret);
/* Less than 0, 0 or more; says so when rounding may have decided. */
int ref_compare(const struct bout *b, double x, double y);

/* referee_quota.c: absolute limits. */
/* Whether a limit is in the way of the unit's like. */
bool *ref_limited(struct bout *b, int unit);
void ref_begin_unit(struct bout *b, int unit); /* it is started */

enum ref_verdict { REF_MAY, REF_NOT_THIS, REF_NOT_QUEUE, REF_NOT_NOW };
void ref_fill_purse(struct bout *b);
enum ref_verdict ref_limits(const struct bout *b, int unit);
void ref_charge(struct bout *b, int unit);
enum ref_verdict ref_check_quota(const struct bout *b, int unit);
