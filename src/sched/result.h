/*
 * The result of a round: decisions, reasons, shares, and the work it cost.
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
	const char **nodes; /* START: one for each member; NULL: the member is not started */
	size_t node_count;
	/* START: the time limit, lowered so that it does not delay the reservation; 0: that of the job */
	int64_t limit_us;
	/* PREEMPT: */
	const char *why;  /* "fair-share", "urgency" or "scavenging" */
	uint64_t for_job; /* the gang that got its room, the first one if several did; 0: none */
	uint32_t for_element;
	const char *text; /* for its owner: the preemptor, and the shares of both queues */
};

/*
 * Why a job waits, as the round saw it, in one line with numbers. The round emits it for the first
 * of several like jobs of a queue when it changed. A job that never got one waits behind others:
 * WHY_PRIORITY.
 */
struct sched_reason {
	uint64_t job;
	enum sched_why why;
	const char *text;
	/* its latest start, if all running tasks use their time limits; 0: not known */
	int64_t expected_us;
};

/* A queue as it was when the round began, and what the round did to it. */
struct sched_share {
	const char *queue;
	double weight, fair, capped, cost; /* cost: not divided by weight, like the shares */
	int64_t demand[SCHED_RESOURCES], allocated[SCHED_RESOURCES];
	double cost_after;
	uint64_t started, preempted; /* elements */
	double factor;
	double memory;  /* the plugin's number (sched/usage_history.h), when the round began */
	bool remembers; /* the number lasts, and decays with time */
	bool unnoted;   /* the number differs from what a restarted scheduler would recall */
};

/* A queue that took no part, and for which the fairness plugin keeps a number. */
struct sched_remembered {
	const char *queue;
	double factor, memory;
	bool unnoted;
};

/* What a round did, in counts; the same input gives the same counts on any machine. */
struct sched_work {
	uint64_t gangs;     /* tried */
	uint64_t placed;    /* elements started */
	uint64_t evicted;   /* gangs evicted for fair share */
	uint64_t subqueues; /* subqueues that were considered */
	uint64_t chunks;    /* blocks of up to 64 nodes, visited as one */
	uint64_t probes;    /* nodes visited */
};

/*
 * The first gang that waits for room whose start can be predicted: if all running tasks use their
 * time limits, it starts then, with this many members on each of these nodes.
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
	/*
	 * After the round, as costs (struct sched_share): what the gang needs on these nodes; what of it is
	 * idle; what of it others use who take nothing from the gang.
	 */
	double need, idle, recovered;
};

/* Everything in it lives in its arena. */
struct sched_result {
	struct arena *arena;
	struct sched_decision *decisions;
	size_t decision_count;
	/* of jobs that were tried and not started, if the reason changed */
	struct sched_reason *reasons;
	size_t reason_count;
	struct sched_share *shares; /* of the queues that took part, by name */
	size_t share_count;
	struct sched_remembered *remembered; /* by name */
	size_t remembered_count;
	const char *fairness; /* the name of the plugin */
	/*
	 * The cost of any allocation by the fairness plugin, with the totals of this round. To be called
	 * until sched_result_done(), and while the scheduler runs no other round and is not configured
	 * anew: who does that sets it to NULL. NULL: not given.
	 */
	double (*cost)(const void *cost_of, const int64_t *allocated);
	const void *cost_of;
	const struct sched_reservation *reservation; /* NULL: none */
	bool cut;                                    /* the budget ended it */
	/* time at which a round may start more even if nothing is reported; 0: not known */
	int64_t again_us;
	/* the error of a plugin, with its name: the round decided nothing. NULL: none */
	const char *fault;
	struct sched_work work;
};
