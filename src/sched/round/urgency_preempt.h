/*
 * Urgency preemption: a member takes the room of less urgent gangs. After all queues were served,
 * the gangs in the way lose their nodes.
 */
#pragma once

#include "sched/model/node_index.h"

struct sched;
struct round;

/* The node, at the lowest level with room; NIL: none. No gang is displaced yet. */
uint32_t urgency_preempt_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
				   uint32_t mark);
/* Preempt the gangs in the way of more urgent ones, on nodes with a negative level. */
void urgency_preempt_relieve(struct round *r);
