/*
 * Fair shares, and what they become when queues that want less leave the rest to others.
 */
#pragma once

#include <armada/policy.h>
#include <stdbool.h>

/*
 * demand: the cost of what each queue could use. fair: weight over the sum of weights. capped: at
 * most the demand, and what is left over goes to the others by weight. done is scratch. All arrays
 * have a row for each queue.
 */
void fair_share_compute(const struct armada_queues *queues, const double *demand, bool *done,
			double *ret_fair, double *ret_capped);
