/*
 * A survey of all nodes for one shape: what excludes each node, and which is nearest.
 */
#pragma once

#include "sched/explain.h"
#include "sched/round/state.h"

/*
 * Fills in nodes, fitting, exclusions and the nearest node, in the explanation's arena; and for
 * each resource the largest free amount on a node that lacks no other, or -1. bound: the
 * reservation binds the job.
 */
void explain_nodes_count(struct sched *s, uint32_t shape, bool bound, struct sched_explanation *out,
			 int64_t *ret_most);

/* "gpu=a100", "!slow" */
const char *explain_nodes_selector(struct arena *a, const struct sched_selector *sel);
