/*
 * Every node looked at for one key: what leaves it out, and which comes nearest. Private to
 * src/sched.
 */
#ifndef SCHED_SURVEY_H
#define SCHED_SURVEY_H

#include "sched/explain.h"
#include "sched/parts.h"

/* Fills in nodes, fitting, exclusions and the nearest node, in the explanation's arena. */
void survey_nodes(struct sched *s, uint32_t key, struct sched_explanation *out);

#endif
