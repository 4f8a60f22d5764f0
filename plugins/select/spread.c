/*
 * select/spread: the emptiest node on which the task fits. Tasks are distributed over many nodes and share
 * the unused resources of these.
 */
#include "sequence.h"

#include <stdlib.h>

/* The score of a node is its usage. */
static void spread_score(const void *handle, const int64_t *request,
			 const struct armada_select_nodes *nodes, double *ret_scores)
{
	(void)request;
	sequence_used(handle, nodes, NULL, ret_scores);
}

static const struct armada_select_ops ops = {
	.open = sequence_open,
	.close = free,
	.sequence = sequence_give,
	.score = spread_score,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "spread", "the emptiest node on which the task fits",
		    ops);
