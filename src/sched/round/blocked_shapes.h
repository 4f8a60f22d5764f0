/*
 * What is known not to fit without a search: a shape that was searched for in vain speaks for all that
 * ask for no less.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct round;
struct sched;

/* round: all lists of the round, the latest first. */
struct blocked_shapes {
	struct blocked_list *lists;
	uint32_t count;
};

void blocked_shapes_begin(struct sched *s);
/* Not even one member of it can have a node, as a smaller one had none in this round. */
bool blocked_shapes_covers(struct sched *s, uint32_t shape);
/* Not even one member of it found a node. */
void blocked_shapes_add(struct round *r, uint32_t shape);
