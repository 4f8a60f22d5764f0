/*
 * select/binpack: the fullest node on which the task fits. That is the node with the least free cpu, then
 * with the least free memory, then with the least of the other resources in the order of their names.
 * Nodes with much free room remain for large tasks.
 */
#include "sequence.h"

#include <stdlib.h>

static const struct armada_select_ops ops = {
	.open = sequence_open,
	.close = free,
	.sequence = sequence_give,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "binpack", "the fullest node on which the task fits",
		    ops);
