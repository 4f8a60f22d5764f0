/*
 * Room that is free although waiting jobs would fit: the Pareto waste of ashare --properties.
 *
 * Waiting elements are placed on the free room of the nodes one after the other, in the order of job ids,
 * as if no rule but the size, the labels, the taints and the node lists counted. So it is found what the
 * limits, the reservation and the rates of the scheduler leave free, and what a round has not seen yet.
 */
#pragma once

#include "core/txn/txn.h"

enum { UNUSED_WHYS = 64 };

struct unused_room {
	uint64_t elements; /* that would fit at once */
	struct resources used;
	uint64_t by_why[UNUSED_WHYS]; /* these elements by enum sched_why */
	uint64_t left_out; /* elements of gangs of jobs and of jobs with a uniformity label */
	bool cut;          /* not all nodes, tasks and jobs were looked at */
};

/* Bounded work: about a million nodes, tasks and jobs. */
void unused_room_find(struct txn *txn, struct unused_room *ret);
