/*
 * Each queue on nodes of its own, as far as there are: the node where others use least, then the
 * fullest.
 */
#include "sequence.h"

#include <stdlib.h>

/* What other queues use. */
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
		    "nodes that other queues use least, then the fullest", ops);
