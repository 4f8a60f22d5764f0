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

/* Alternatives: "gpu=a100|gpu=h100" */
const char *explain_nodes_condition(struct arena *a, const struct sched_selector *list,
				    size_t first, size_t end);
/* "gpu=a100", "!slow" */
const char *explain_nodes_selector(struct arena *a, const struct sched_selector *sel);
