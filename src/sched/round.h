/*
 * The round in hand. Private to src/sched.
 *
 * Rows are the queues that take part, in order of their names. Everything here lives in the arena
 * of the result or in scratch of the sched that the round leaves as it found it.
 */
#ifndef SCHED_ROUND_H
#define SCHED_ROUND_H

#include "sched/parts.h"

struct watch;

/* Why a row is closed. Only a limit's word is for the whole round: the others are for a stage. */
enum { CLOSED_LIMIT = 1, CLOSED_LOOKBACK = 2, CLOSED_STAGE = 4 };

struct round {
	struct sched *s;
	const struct sched_round *in;
	struct sched_result *result;
	struct arena *arena;
	const char *fault;
	struct watch *watch; /* the round is only to explain a job; NULL: it counts */
	bool settled;        /* what is watched for is known */
	struct lasting *lasting;

	uint32_t *queue; /* of each row */
	struct armada_queues view;
	int64_t *totals;
	int64_t *allocated; /* rows; grows as gangs are placed */
	int64_t *used;      /* the same by class: rows of classes */
	int64_t *started;   /* by new gangs */
	uint64_t started_tasks;
	uint64_t *seen;         /* by row: waiting tasks looked at */
	uint64_t *seen_element; /* the last of them */
	uint32_t *seen_job;
	uint8_t *closed;   /* by row, bits: only what was evicted is served */
	bool evicted_only; /* the same for all */
	bool drained, terminal;
	uint32_t *evicted; /* actors of each row, in its order */
	size_t *evicted_at, *evicted_end;
	struct numbering {
		size_t count; /* 0: there is nothing to number, or it is done */
		int64_t *allocated;
		uint32_t *evicted;
		size_t *at, *end;
	} numbering;       /* what the table will be made of */
	bool numbers;      /* it is being made: who is evicted matters, not where they are now */
	size_t gone_count; /* of actors that lost their nodes */
	double *weights, *capped;
	struct armada_order_head *heads;
	uint32_t *live; /* rows with a head: a heap, or a list for a plugin that picks */
	size_t live_count;
	/* What the order plugin passed over, and where its lane stood then. */
	uint32_t stage;
	struct passed {
		uint32_t lane, cursor, taken, range, next;
		uint32_t stage;
		struct armada_order_excess excess;
	} * passed;
	size_t passed_count, passed_cap;
};

/* lasting.c: what a round leaves to the next, kept in the arena; and back to that. */
struct lasting *lasting_keep(const struct sched *s, struct arena *a);
void lasting_restore(struct sched *s, const struct lasting *l);

/* view.c: ranks the queues, asks the fairness plugin, computes the shares. */
void round_view(struct round *r);
/* A cost as the plugin says it, checked. */
double round_cost(struct round *r, const int64_t *allocated);
/* What the queues cost now that the round is over; and when it decided nothing. */
void shares_after(struct round *r);
void shares_unchanged(struct round *r);

/* head.c: the lanes of a row as a heap, and the head of the row. */
void head_begin(struct round *r);
/* The first jobs of a queue that starts nothing are told so. */
void head_closed(struct round *r, const struct queue *q);
/* The row's gang that would be put back; NIL: its head is a lane. */
uint32_t head_actor(const struct round *r, uint32_t row);
/* Find the row's next gang and what it would cost; false: it has none. */
bool head_find(struct round *r, uint32_t row);
/* The lane that the head came from. */
uint32_t head_lane(const struct round *r, uint32_t row);
/* Its gang was placed: the next element, or the next job. */
void head_taken(struct round *r, uint32_t row);
/* Its gang may not be started for a reason that holds for all of its lane. */
void head_skip(struct round *r, uint32_t row);
/* Its gang is passed over, and so is what follows it in its lane. */
void head_pass(struct round *r, uint32_t row);
/* All rows from where their lanes stand now. */
void head_again(struct round *r);

/* say.c: tell a job why it waits, if that is news. of_key: because its key does not fit. */
void round_reason(struct round *r, uint32_t job, struct reason reason, bool of_key);
/* Of jobs that do not even stand in line. */
void round_notes(struct round *r);
/* round.c: the whole of it. */
void round_run(struct sched *s, const struct sched_round *in, struct watch *watch,
	       struct sched_result *ret_result);

/* turn.c: whose turn it is. */
void round_begin_heads(struct round *r);
/* The rows with a head, from the beginning. */
void round_heads(struct round *r);
/* Serve the head that the order plugin wants next until there is none. */
void round_serve(struct round *r, void (*serve)(struct round *r, uint32_t row));

/* actor.c: what runs, as gangs that may have to go. */
void actors_begin(struct round *r);
/* Its first members weigh on the levels of their nodes (1), or on level 0 alone (-1). */
void actor_weigh(struct sched *s, const struct actor *a, uint32_t members, int sign);

/* evict.c */
/* By the plugin's word, for balance. */
void actors_evict(struct round *r);
/* These lose their levels, and stand in the lists of their rows. */
void actors_put_out(struct round *r, const uint32_t *actors, size_t count);
/* What is left of those evicted after everybody was served. */
void actors_finish(struct round *r);
/* A gang was started on the nodes in s->members. */
void actor_add(struct round *r, uint32_t row, uint32_t lane, const uint32_t *nodes);
/* The members that have nodes weigh on the queue (1), or no more (-1). */
void actor_account(struct round *r, const struct actor *a, int sign);
void actor_sum(const struct sched *s, const struct actor *a, int64_t *ret_row);
/* On its own nodes, if they have room at its level; unharmful: room that nobody else is in. */
bool actor_put_back(struct round *r, uint32_t actor, bool unharmful);
/* It lost its nodes for good. */
void actor_gone(struct round *r, uint32_t actor, const char *why);

/* taker.c: for whom those who are gone made room, when the round is over. */
void takers_find(struct round *r);
void taker_tell(struct round *r, const struct actor *a, struct sched_decision *ret);

/* reserve.c: when the gang would start at the latest, and where; false: it cannot be told. */
bool reserve_find(struct round *r, uint32_t key);

/* backfill.c: who holds the reservation, and whom it holds back. */
void backfill_begin(struct round *r);
void backfill_end(struct round *r);
void backfill_show(struct round *r); /* in the result */
void backfill_started(struct round *r, const struct actor *a);
/* The gang where the lane stands has no room: it may get the reservation. */
void backfill_seek(struct round *r, uint32_t lane);
/* place_gang, leaving the reservation what it needs. */
bool backfill_place(struct round *r, uint32_t lane, uint32_t *ret_found);
/* Is it known that the gang where the lane stands would have room, but for too long? */
bool backfill_holds(const struct round *r, uint32_t lane);
/* Must the job leave the reservation what it needs? */
bool backfill_binds(const struct round *r, uint32_t job);
/* Tell it so. */
void backfill_tell(struct round *r, uint32_t job);
/* It holds the reservation, and was not told that it starts then. */
bool backfill_news(const struct round *r, uint32_t job);
/* When it starts, if it holds the reservation; 0: it does not. And the same in words. */
int64_t backfill_expected(const struct round *r, uint32_t job);
void backfill_foretell(struct round *r, uint32_t job, struct reason *reason);

/* blocked.c: what is known not to fit without a search. */
void blocked_begin(struct sched *s);
/* Not even one member of it can have a node, as a smaller one had none in this round. */
bool blocked_known(struct sched *s, uint32_t key);
/* Not even one member of it found a node. */
void blocked_add(struct round *r, uint32_t key);

/* over.c: whoever is in the way of the more urgent, on nodes that hold too much. */
void round_relieve(struct round *r);

/* limit.c */
enum verdict { LIMIT_NONE, LIMIT_GANG, LIMIT_QUEUE, LIMIT_ROUND };
void limits_begin(struct round *r);
/* May the gang where the lane stands be started for the row? If not: why. */
enum verdict limits_check(struct round *r, uint32_t row, uint32_t lane, struct reason *ret_why);
void limits_charge(struct round *r, uint32_t row, const struct actor *a);
void limits_charge_preempted(struct round *r, uint32_t tasks);
bool limits_preempt_spent(const struct round *r);
/* No more may be displaced: until when? */
void limits_await_preempt(struct round *r);
/* What stood in the way stands there for this round alone: the next may go on, if this one started any. */
void limits_go_on(struct round *r);

#endif
