/*
 * What a round of the scheduler says: decisions, reasons, shares, and what it cost.
 */
#pragma once

#include "sched/limits.h"
#include "sched/why.h"
#include "util/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sched_decision_kind {
	SCHED_START = 1,
	SCHED_PREEMPT = 2,
};
struct sched_decision {
	enum sched_decision_kind kind;
	uint64_t job;
	uint32_t element;
	const char **nodes; /* START: one for each member; NULL: it is not started */
	size_t node_count;
	/* PREEMPT: */
	const char *why;  /* "fair-share" or "urgency" */
	uint64_t for_job; /* the gang that has its room, or the first of them; 0: none */
	uint32_t for_element;
	const char *text; /* for its owner: for whom, and both queues' shares */
};

/*
 * Why a job waits, as the round saw it. One line, numbers included. Given to the first of like jobs
 * of a queue that the round comes to, when it is news; who was never given one waits behind others:
 * WHY_PRIORITY.
 */
struct sched_reason {
	uint64_t job;
	enum sched_why why;
	const char *text;
	int64_t expected_us; /* when it starts at the latest, if all run to their limits; 0: not known */
};

/* A queue as the round saw it when it began, and what became of it. */
struct sched_share {
	const char *queue;
	double weight, fair, capped, cost; /* cost: not divided by weight, like the shares */
	int64_t demand[SCHED_RESOURCES], allocated[SCHED_RESOURCES];
	double cost_after;
	uint64_t started, preempted; /* elements */
	double factor;
	double memory; /* the fairness plugin's own number, when the round began */
	bool remembers; /* does that last, and decay with time? */
	bool unnoted;  /* who recalls what was noted last would have another number by now */
};

/* A queue that took no part, and of which the fairness plugin remembers something. */
struct sched_remembered {
	const char *queue;
	double factor, memory;
	bool unnoted;
};

/* What a round did, counted; the same world gives the same counts on any machine. */
struct sched_work {
	uint64_t gangs;   /* tried */
	uint64_t placed;  /* elements started */
	uint64_t evicted; /* gangs put back in line for balance */
	uint64_t lanes;   /* groups of like jobs that were considered */
	uint64_t chunks;  /* of up to 64 nodes, looked at as one */
	uint64_t probes;  /* nodes looked at */
};

/*
 * The first gang that waits for room, of those for which a start can be told: if all that runs went
 * on to its limit, it would start then, with so many members on each of these nodes.
 */
struct sched_reservation {
	uint64_t job;
	uint32_t element;
	int64_t start_us;
	struct sched_reserved {
		const char *name;
		uint32_t members;
	} * nodes;
	size_t node_count;
};

/* Everything in it lives in its arena. */
struct sched_result {
	struct arena *arena;
	struct sched_decision *decisions;
	size_t decision_count;
	struct sched_reason *reasons; /* of jobs looked at and not started whose reason changed */
	size_t reason_count;
	struct sched_share *shares; /* of the queues that took part, by name */
	size_t share_count;
	struct sched_remembered *remembered; /* by name */
	size_t remembered_count;
	const char *fairness; /* the plugin */
	const struct sched_reservation *reservation; /* NULL: none */
	bool cut;                                    /* the budget ended it */
	int64_t again_us; /* then a round may do more, though nothing changes; 0: not known */
	const char *fault; /* a plugin's, named: the round decided nothing. NULL: none */
	struct sched_work work;
};
