/*
 * Urgency preemption: a member takes room that less urgent gangs have, and when everybody was served
 * those in the way lose their nodes.
 */
#pragma once

#include "sched/model/node_index.h"

struct sched;
struct round;

/* The node, at the least level that has room; NIL: none. Nobody is put out yet. */
uint32_t urgency_preempt_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
				   uint32_t mark);
/* Whoever is in the way of the more urgent, on nodes that hold too much, goes. */
void urgency_preempt_relieve(struct round *r);
