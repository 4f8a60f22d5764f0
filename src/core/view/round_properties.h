/*
 * Sharing incentive and envy in a round: two of the properties that armada-fairness(7) explains.
 *
 * A queue is entitled to the smaller of its demand and its share by weight. It envies another queue if it
 * wants more than it has, and could run more of its demand with what the other queue has, scaled by
 * their weights. A queue wants resources in the proportions of its demand.
 */
#pragma once

#include "core/view/round_report.h"

enum { COMPARED_QUEUES = 1000 }; /* envy of further queues is not counted */

struct queue_property {
	double lacks; /* of what it is entitled to, as a fraction of the cluster */
	double envy; /* the part of its demand that it would run more with what another queue has */
};

struct round_properties {
	size_t below;   /* queues with less than they are entitled to */
	double lacks;   /* of all of them, as a fraction of the cluster */
	size_t lacking; /* the index of the one that lacks most, and how much */
	double lacks_most;
	size_t pairs, envious;  /* ordered pairs of queues; those with envy */
	size_t envier, envied;  /* the pair with the most envy ... */
	double has, would_have; /* ... and which parts of its demand the first runs and would run */
	struct queue_property *queues; /* of each share of the round */
};

/*
 * Valid until the next decision or round. The first call after a decision costs O(queues^2) for at most
 * COMPARED_QUEUES, and O(queues); further ones O(1).
 */
const struct round_properties *round_properties(struct noted_round *n);
