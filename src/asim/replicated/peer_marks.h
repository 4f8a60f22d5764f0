/*
 * What controllers ask each other before one of them leads, as in src/armctld/peer_marks.c: the last record
 * that the other one knows as acknowledged.
 */
#pragma once

#include "asim/replicated/world.h"

#include <armada/replica.h>

struct peer_marks {
	uint64_t question; /* of the questions that are open or were the last ones; 0: none */
	bool waits[CONTROLLERS], said[CONTROLLERS];
	struct armada_replica_mark marks[CONTROLLERS];
};

/*
 * By the task of a controller that has the lead: asks all others at the same time, and waits for 1.5 seconds
 * at most. The answers are in c->marks.
 */
void peer_marks_ask(struct controller *c);
