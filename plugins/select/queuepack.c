/*
 * Each queue on nodes of its own, as far as there are: the node where others use least, then the
 * fullest.
 */
#include "sequence.h"

#include <stdlib.h>

/* What other queues use, as a part of what the node has, summed up. */
static void queuepack_score(const void *handle, const int64_t *request,
			    const struct armada_select_nodes *nodes, double *ret_scores)
{
	const struct sequence *b = handle;

	(void)request;
	for (size_t i = 0; i < nodes->count; i++) {
		double sum = 0;

		for (size_t r = i * b->count; r < (i + 1) * b->count; r++)
			if (nodes->total[r] > 0)
				sum += (double)(nodes->total[r] - nodes->free[r] -
						nodes->queue_used[r]) /
				       (double)nodes->total[r];
		ret_scores[i] = sum;
	}
}

static const struct armada_select_ops ops = {
	.open = sequence_open,
	.close = free,
	.sequence = sequence_give,
	.score = queuepack_score,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "queuepack",
		    "nodes that other queues use least, then the fullest", ops);
