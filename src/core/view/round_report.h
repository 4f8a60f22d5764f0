/*
 * The report for ROUND: what the last scheduling round did.
 *
 * A decision is noted when it is carried out, so the report does not show decisions that no longer
 * fit the state. Two rounds are kept: the last one, and the last one that started or preempted
 * anything. On a quiet cluster these are usually different rounds.
 */
#pragma once

#include "core/txn/txn.h"

enum {
	NOTED_DECISIONS = 100, /* of each kind */
	NOTED_QUEUES = 10000,  /* further queues have no row */
	NOTED_NODES = 20000,   /* in all decisions together, to limit the size of the answer */
};

struct noted_round {
	struct arena *arena;
	Armada__Round round; /* without queues and decisions */
	Armada__RoundDecision *decisions[2 * NOTED_DECISIONS];
	struct sched_share *shares;
	struct resources *
		after; /* parallel to shares: allocated, with the decisions that were carried out */
	size_t share_count;
	uint64_t for_shares, for_urgency, scavengers; /* preempted elements, by rule */
	struct round_properties *properties; /* core/view/round_properties.h; NULL: not computed */
	size_t node_count;                   /* nodes named so far */
};

void round_report_free(struct txn *txn);
/* The single task that a decision is about: an extra task, or one that is replaced. */
struct decided_task {
	struct resources request;
	int64_t start_us; /* of its attempt; 0: it did not run */
};
/*
 * Before the decision is carried out, with the ids of the scheduler. False: it is about a whole element,
 * or about nothing that exists.
 */
bool round_report_task(const struct txn *txn, const struct sched_decision *d,
		       struct decided_task *ret_task);
/*
 * The functions that note a round. Call round_report_begin() before its decisions are carried out,
 * round_report_decided() for each decision, and round_report_end() after the last;
 * round_report_free() frees all rounds with the core.
 */
void round_report_begin(struct txn *txn, const struct input *in);
/* The ids in d are those of users. task: as round_report_task() gave it, or NULL. */
void round_report_decided(struct txn *txn, const struct sched_decision *d,
			  const struct decided_task *task, bool accepted);
/* The same for a decision that was carried out for all jobs of a gang. */
void round_report_decided_gang(struct txn *txn, const struct gang *g,
			       const struct sched_decision *d);
void round_report_end(struct txn *txn);
/* The reserved room up to now. */
struct reserved_room round_report_reserved(const struct txn *txn);
/* A queue's share as a message in the arena. */
Armada__QueueShare *round_report_share(const struct sched_share *s, struct arena *a);
