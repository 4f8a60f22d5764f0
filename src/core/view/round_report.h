/*
 * ROUND: what the last scheduling round did.
 *
 * Noted as its decisions are carried out, so that what no longer held is not shown as done. Two
 * rounds are kept: the last, and the last that started or preempted anything; on a quiet cluster the
 * last one seldom did.
 */
#pragma once

#include "core/txn/txn.h"

enum {
	NOTED_DECISIONS = 100, /* of each kind */
	NOTED_QUEUES = 10000,  /* the others are counted in no row */
	NOTED_NODES = 20000,   /* of all gangs together, so that the answer has an end */
};

struct noted_round {
	struct arena *arena;
	Armada__Round round; /* without queues and decisions */
	Armada__RoundDecision *decisions[2 * NOTED_DECISIONS];
	struct sched_share *shares;
	size_t share_count;
	size_t node_count; /* named so far */
};

void round_report_free(struct txn *txn);
/*
 * what the last round did, for ROUND. Begin before its decisions are carried out, note each
 * one, end after the last; free with the core.
 */
void round_report_begin(struct txn *txn, const struct input *in);
void round_report_decided(struct txn *txn, const struct sched_decision *d, bool accepted);
/* The same of one that was carried out for all jobs of a gang. */
void round_report_decided_gang(struct txn *txn, const struct gang *g,
			       const struct sched_decision *d);
void round_report_end(struct txn *txn);
/* A queue's share as a message in the arena. */
Armada__QueueShare *round_report_share(const struct sched_share *s, struct arena *a);
