/*
 * The round in hand, from the order of the queues to its decisions.
 *
 * Rows are the queues that take part, in order of their names. Everything here lives in the arena
 * of the result or in scratch of the sched that the round leaves as it found it.
 */
#pragma once

#include "sched/round/state.h"

struct explain_probe;

/* Why a row is closed. Only a limit's word is for the whole round: the others are for a stage. */
enum { CLOSED_LIMIT = 1, CLOSED_LOOKBACK = 2, CLOSED_STAGE = 4 };

struct round {
	struct sched *s;
	struct model *m; /* of s */
	const struct sched_round *in;
	struct sched_result *result;
	struct arena *arena;
	const char *fault;
	struct explain_probe *probe; /* the round is only to explain a job; NULL: it counts */
	bool settled;                /* what is probed for is known */
	struct carryover *carryover;

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
	uint32_t *evicted; /* gangs of each row, in its order */
	size_t *evicted_at, *evicted_end;
	struct numbering {
		size_t count; /* 0: there is nothing to number, or it is done */
		int64_t *allocated;
		uint32_t *evicted;
		size_t *at, *end;
	} numbering;       /* what the table will be made of */
	bool numbers;      /* it is being made: who is evicted matters, not where they are now */
	size_t gone_count; /* of gangs that lost their nodes */
	double *weights, *capped;
	struct armada_order_head *heads;
	uint32_t *live; /* rows with a head: a heap, or a list for a plugin that picks */
	size_t live_count;
	/* What the order plugin passed over, and where its subqueue stood then. */
	uint32_t stage;
	struct passed {
		uint32_t subqueue, cursor, taken, range, next;
		uint32_t stage;
		struct armada_order_excess excess;
	} * passed;
	size_t passed_count, passed_cap;
};

/* The whole of it. probe: the round is only to explain a job; NULL: it counts. */
void round_run(struct sched *s, const struct sched_round *in, struct explain_probe *probe,
	       struct sched_result *ret_result);
/* The memory that rounds keep. */
void round_done(struct sched *s);
