/*
 * select/queuepack: each queue gets nodes of its own, as far as possible. The best node is the one on which
 * other queues use the least, then the fullest.
 */
#include "sequence.h"

#include <stdlib.h>

/* The score of a node is the usage of other queues. */
static void queuepack_score(const void *handle, const int64_t *request,
			    const struct armada_select_nodes *nodes, double *ret_scores)
{
	(void)request;
	sequence_used(handle, nodes, nodes->queue_used, ret_scores);
}

static const struct armada_select_ops ops = {
	.open = sequence_open,
	.close = free,
	.sequence = sequence_give,
	.score = queuepack_score,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "queuepack",
		    "the node that other queues use least, then the fullest", ops);
