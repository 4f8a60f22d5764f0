/*
 * Every node looked at for one shape: what leaves it out, and which comes nearest.
 */
#pragma once

#include "sched/explain.h"
#include "sched/round/state.h"

/*
 * Fills in nodes, fitting, exclusions and the nearest node, in the explanation's arena; and for each
 * resource the most that a node has free which lacks no other, or -1.
 * bound: it must leave the reservation what it needs.
 */
void explain_nodes_count(struct sched *s, uint32_t shape, bool bound, struct sched_explanation *out,
			 int64_t *ret_most);

/* "gpu=a100", "!slow" */
const char *explain_nodes_selector(struct arena *a, const struct sched_selector *sel);
