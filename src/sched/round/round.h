/*
 * The current round, from the order of the queues to its decisions.
 *
 * Rows are the queues that take part, ordered by name. All memory is in the arena of the result, or
 * in scratch of the sched that the round restores.
 */
#pragma once

#include "sched/round/state.h"

struct explain_probe;

/* Why a row is closed. CLOSED_LIMIT holds for the whole round, the others for a stage. */
enum { CLOSED_LIMIT = 1, CLOSED_LOOKBACK = 2, CLOSED_STAGE = 4 };

struct round {
	struct sched *s;
	struct model *m; /* of s */
	const struct sched_round *in;
	struct sched_result *result;
	struct arena *arena;
	const char *fault;
	struct explain_probe *probe; /* the round only explains a job; NULL: it counts */
	bool settled;                /* the outcome for the probed job is known */
	struct carryover *carryover;

	uint32_t *queue; /* by row */
	struct armada_queues view;
	int64_t *totals;
	int64_t *allocated; /* by row; grows as gangs are placed */
	int64_t *used;      /* the same by class: rows of classes */
	int64_t *started;   /* by new gangs */
	uint64_t started_tasks;
	uint64_t *seen;         /* by row: waiting tasks counted for the look-back */
	uint64_t *seen_element; /* the last of them */
	uint32_t *seen_job;
	uint8_t *closed;   /* by row, bits: only evicted gangs are served */
	bool evicted_only; /* the same for all rows */
	bool drained, terminal;
	bool extras; /* all other jobs were tried: extra tasks of running jobs get what is left */
	/* The evicted gangs, by row and in its order; those of a row that were not served. */
	uint32_t *evicted;
	size_t *evicted_at, *evicted_end, evicted_count;
	size_t gone_count; /* gangs that lost their nodes */
	double *weights, *capped;
	struct armada_order_head *heads;
	uint32_t *live; /* rows with a head: a heap, or a list for a plugin that picks */
	size_t live_count;
	uint32_t *changed; /* rows whose head is to be found again */
	size_t changed_count, changed_cap;
	/* The gangs that the order plugin passed over, and where their subqueues stood. */
	uint32_t stage;
	struct passed {
		uint32_t subqueue, cursor, taken, range, next;
		uint32_t stage;
		struct armada_order_excess excess;
	} * passed;
	size_t passed_count, passed_cap;
};

/* Run the round. probe: it only explains a job; NULL: it counts. */
void round_run(struct sched *s, const struct sched_round *in, struct explain_probe *probe,
	       struct sched_result *ret_result);
/* Free the memory that rounds keep. */
void round_done(struct sched *s);
