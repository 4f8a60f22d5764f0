/*
 * Blocks of a few nodes: the most that any of them has of each resource at each level, as upper
 * bounds, for searches through the levels. A bound is never below what a node of its block has.
 */
#ifndef SCHED_BLOCK_H
#define SCHED_BLOCK_H

#include "sched/parts.h"

void blocks_room(struct sched *s, uint32_t node);
void blocks_forget(struct sched *s);
void blocks_sort(struct sched *s);         /* if it is worth it; not within a round */
size_t blocks_size(const struct sched *s); /* of s->bounds */
void block_raise(struct sched *s, uint32_t node, uint32_t level);  /* the node has more */
void block_loosen(struct sched *s, uint32_t node, uint32_t level); /* it may have less */
void blocks_loosen(struct sched *s);

#endif
