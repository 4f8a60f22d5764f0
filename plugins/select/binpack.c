/*
 * The fullest node where it fits: least free cpu, then least free memory, then the least of the
 * other resources in the order of their names. Large holes stay for what is large.
 */
#include "sequence.h"

#include <stdlib.h>

static const struct armada_select_ops ops = {
	.open = sequence_open,
	.close = free,
	.sequence = sequence_give,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "binpack", "the fullest node where it fits", ops);
