/*
 * Fair shares, and capped shares: a queue that needs less than its share leaves the rest to the
 * others.
 */
#pragma once

#include <armada/policy.h>
#include <stdbool.h>

/*
 * demand: the cost of all that each queue could use. fair: its weight over the sum of weights.
 * capped: at most the demand; the rest goes to the other queues by weight. done is scratch. All
 * arrays have a row for each queue.
 */
void fair_share_compute(const struct armada_queues *queues, const double *demand, bool *done,
			double *ret_fair, double *ret_capped);
