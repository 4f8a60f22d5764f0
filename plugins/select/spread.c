/*
 * The emptiest node where it fits: tasks are far from one another, and have what is left between
 * them.
 */
#include "sequence.h"

#include <stdlib.h>

/* What is used, as a part of what the node has, summed up. */
static void spread_score(const void *handle, const int64_t *request,
			 const struct armada_select_nodes *nodes, double *ret_scores)
{
	const struct sequence *b = handle;

	(void)request;
	for (size_t i = 0; i < nodes->count; i++) {
		double sum = 0;

		for (size_t r = i * b->count; r < (i + 1) * b->count; r++)
			if (nodes->total[r] > 0)
				sum += (double)(nodes->total[r] - nodes->free[r]) /
				       (double)nodes->total[r];
		ret_scores[i] = sum;
	}
}

static const struct armada_select_ops ops = {
	.open = sequence_open,
	.close = free,
	.sequence = sequence_give,
	.score = spread_score,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "spread", "the emptiest node where it fits", ops);
