/*
 * Every node looked at for one key: what leaves it out, and which comes nearest. Private to
 * src/sched.
 */
#ifndef SCHED_SURVEY_H
#define SCHED_SURVEY_H

#include "sched/explain.h"
#include "sched/parts.h"

/*
 * Fills in nodes, fitting, exclusions and the nearest node, in the explanation's arena; and for each
 * resource the most that a node has free which lacks no other, or -1.
 * bound: it must leave the reservation what it needs.
 */
void survey_nodes(struct sched *s, uint32_t key, bool bound, struct sched_explanation *out,
		  int64_t *ret_most);

#endif
