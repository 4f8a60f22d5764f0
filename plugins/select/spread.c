/*
 * The emptiest node where it fits: tasks are far from one another, and have what is left between
 * them.
 */
#include "sequence.h"

#include <stdlib.h>

/* What is used. */
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

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "spread", "the emptiest node where it fits", ops);
