/*
 * The state of a round of the referee, which the files referee*.c share.
 */
#pragma once

#include "unit/sched/referee.h"

/*
 * The kind of the unit: units of one kind fit or do not fit together. It is the shape, whether the unit keeps
 * its nodes, and the user, if a job of the user does so.
 */
enum { REF_KINDS = REF_JOBS * 2 * (REF_USERS + 1) };
int ref_kind(const struct ref *w, int unit);
/* May tasks of the two units be on one node? */
bool ref_share(const struct ref *w, int unit, int other);

/*
 * The state of a unit in the round: pending; has its nodes; evicted, so that it counts only for the
 * free resources; preempted.
 */
enum ref_phase { PHASE_IDLE, PHASE_BOUND, PHASE_EVICTED, PHASE_OUT };

/* The state that an attempt to place a unit may change; a copy is restored to undo the attempt. */
struct ref_stand {
	enum ref_phase phase[REF_UNITS];
	int nodes[REF_UNITS][REF_MEMBERS];
	int gone[REF_UNITS], gone_count; /* displaced units, in this order */
	const char *why[REF_UNITS];
	int whom[REF_UNITS]; /* the unit that it was displaced for */
	int rank; /* the highest place in its list of a unit that the attempt displaced; -1: none */
	int64_t spare[REF_NODES][REF_DIMS]; /* free resources beside the reservation */
};

/*
 * The reservation: the first gang without room that would have room after the end of some time
 * limits, with its start and its nodes. A unit that may still run at that start, and counts at the
 * level of the gang, must leave it the room that it needs there.
 */
struct ref_reserve {
	bool made, binding; /* binding: the reservation applies to the unit that is being placed */
	int unit, asked;
	int64_t start_us, level;
	bool leveled;        /* otherwise all units count */
	int uses[REF_NODES]; /* members */
	bool held[REF_UNITS];
};

enum { REF_PAYERS = 1 + (REF_ACCOUNTS + 1) * (REF_USERS + 1) };

struct bout {
	const struct ref *w;
	const struct ref_round *in;
	struct ref_purse *purse;
	struct ref_result *result;
	struct ref_stand now;
	bool fresh[REF_UNITS];
	int64_t limit[REF_UNITS]; /* of a fresh unit, lowered; 0: that of its job */
	int started[REF_UNITS], started_count;
	bool over[REF_NODES];
	struct ref_reserve reserve;
	bool blocked[REF_KINDS];
	/*
	 * Kinds that an absolute limit blocks in this queue: for one user, or for all users
	 * without a limit; for one user in one account, or for all accounts without a limit.
	 */
	bool limited[REF_QUEUES][REF_KINDS][REF_USERS + 2][REF_PAYERS][REF_COUNTS];
	/* started in this round */
	struct ref_use begun[REF_QUEUES][REF_USERS + 1][REF_ACCOUNTS + 1];
	bool closed[REF_QUEUES], looked[REF_UNITS];
	int seen[REF_QUEUES];
	int new_tasks;
	double new_amounts[REF_DIMS];
	bool evicted_only, drained, terminal;
	bool extras; /* all other units were tried: extra tasks get the room that is left */
};

/* referee_place.c */
bool ref_place(struct bout *b, int unit);
/* Whether it is a member of the minimum of its part. */
bool ref_of_minimum(const struct ref *w, int unit, int member);
/* Puts an evicted unit back on its own nodes, which always have room for it. */
void ref_put_back(struct bout *b, int unit);
void ref_mark_over(struct bout *b);
/*
 * Does the unit spare the other one (less than 0: any that runs)? It does not displace for fair share the
 * one for which it was displaced last, nor the one for which that one was, and so on.
 */
bool ref_spares(const struct bout *b, int hand, int unit);
/* The number of running members. */
int ref_running(const struct bout *b, int unit);

struct ref_ground {
	int64_t room[REF_NODES][REF_DIMS], own[REF_NODES][REF_DIMS]; /* own: used by one queue */
	bool has[REF_NODES][REF_UNITS];                              /* the units on a node */
	/* used by units that scavenge and may be displaced */
	int64_t lent[REF_NODES][REF_DIMS];
};
/* Computes the free resources at a level: NULL: really free; otherwise free for this priority. */
void ref_survey(const struct bout *b, const int64_t *level, int queue, struct ref_ground *g);
bool ref_fits(const int64_t *have, const int64_t *want);
int ref_compare_room(const int64_t *a, const int64_t *b);
const char *ref_next_value(const struct ref *w, int label, const char *after);

/* May members of the unit join the units on the node? */
bool ref_joins(const struct bout *b, const struct ref_ground *g, int unit, int node);

/* A member to place. */
struct ref_member {
	int unit;
	const struct ref_part *part;
	const char *value; /* the value of the uniformity label; NULL: none */
};

/* Whether all but the room of the node allows the member. */
bool ref_may_use(const struct bout *b, const struct ref_member *s, const struct ref_ground *g,
		 int node);

/* referee_list.c: preemption. */
/* The units that a member of this priority may displace, least protected first. */
struct ref_list {
	int64_t priority;
	int units[REF_UNITS], count;
};

/* The lists for a gang, one for each class of its members, as things are when its attempt begins. */
struct ref_lists {
	int unit;
	const struct ref_stand *start;
	struct ref_list of[REF_PARTS];
	int count;
};

/* The list for members of this priority; it is made when it is asked for first. */
const struct ref_list *ref_list(const struct bout *b, struct ref_lists *lists, int64_t priority);
/*
 * Displaces units of the list, as few as the rules say, so that the member has room. Returns its
 * node; -1: there is none, and no unit is displaced.
 */
int ref_displace(struct bout *b, const struct ref_member *s, const struct ref_list *list);

/* referee_reserve.c */
/* Gives the reservation to a gang without room, if it qualifies. */
void ref_seek(struct bout *b, int unit);
/* Whether the gang must leave room for the reservation. */
bool ref_binds(const struct bout *b, int unit);
/*
 * The limit with which a unit that the reservation binds ends when it begins, in whole seconds; 0: the
 * unit does not accept one so low.
 */
int64_t ref_lowered(const struct bout *b, int unit);
/* Whether the reservation excludes the node for the gang. */
bool ref_refuses(const struct bout *b, int unit, const struct ref_part *part, int node);
void ref_take(struct bout *b, const struct ref_part *part, int node);
/* Holds back a gang that would have room without the reservation, and all gangs of its shape. */
void ref_hold(struct bout *b, int unit);
void ref_tell_reserve(const struct bout *b, struct buf *out);

/* referee_share.c */
void ref_find_shares(struct bout *b);
double ref_cost(const struct bout *b, const double *amounts);
/*
 * The resources of the queue, with one more unit (-1: none): of all members, or of the running
 * ones.
 */
void ref_amounts(const struct bout *b, int queue, int unit, double *ret);
/* The resources of all running units of the queue, evicted or not. */
void ref_all_amounts(const struct bout *b, int queue, double *ret);
/* Adds (sign 1) or subtracts (-1) the running members of a unit, or (waits) all its members. */
void ref_add_unit(const struct bout *b, int unit, bool waits, int sign, double *row);
/*
 * Compares two costs: negative, 0 or positive. Sets near in the result if rounding may have
 * decided.
 */
int ref_compare(const struct bout *b, double x, double y);

/* referee_quota.c: absolute limits. */
/* Whether an absolute limit blocks the shape of the unit. */
bool *ref_limited(struct bout *b, int unit);
void ref_begin_unit(struct bout *b, int unit); /* counts the start of the unit */

enum ref_verdict { REF_MAY, REF_NOT_THIS, REF_NOT_QUEUE, REF_NOT_NOW };
void ref_fill_purse(struct bout *b);
enum ref_verdict ref_limits(const struct bout *b, int unit);
void ref_charge(struct bout *b, int unit);
enum ref_verdict ref_check_quota(const struct bout *b, int unit);
