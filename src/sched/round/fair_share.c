#include "sched/round/fair_share.h"

#include <string.h>

/*
 * Water filling. In each pass the queues that can still use more divide the rest in proportion to
 * their weights. The part that a queue cannot use is left for the next pass.
 */
static double pour(const struct armada_queues *q, const double *demand, double left, double total,
		   bool *done, double *capped)
{
	double spare = 0;

	for (size_t i = 0; i < q->count; i++) {
		double over;

		if (done[i])
			continue;
		capped[i] += q->weights[i] / total * left;
		over = capped[i] - demand[i];
		if (over <= 0)
			continue;
		capped[i] = demand[i];
		done[i] = true;
		spare += over;
	}
	return spare;
}

void fair_share_compute(const struct armada_queues *q, const double *demand, bool *done,
			double *ret_fair, double *ret_capped)
{
	double left = 1, sum = 0;

	for (size_t i = 0; i < q->count; i++)
		sum += q->weights[i];
	for (size_t i = 0; i < q->count; i++)
		ret_fair[i] = sum > 0 ? q->weights[i] / sum : 0;
	memset(ret_capped, 0, q->count * sizeof(*ret_capped));
	memset(done, 0, q->count * sizeof(*done));
	for (int pass = 0; pass < 10 && left > 0.01; pass++) {
		double total = 0;

		for (size_t i = 0; i < q->count; i++)
			total += done[i] ? 0 : q->weights[i];
		if (!(total > 0))
			break;
		left = pour(q, demand, left, total, done, ret_capped);
	}
}
