/*
 * Shapes that are known not to fit without a search. A shape for which the search failed also
 * covers each shape that asks for at least as much.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct round;
struct sched;

/* All lists since the last blocked_shapes_forget, the latest first. */
struct blocked_shapes {
	struct blocked_list *lists;
	uint32_t count;
	uint64_t stamp;
};

/* A round begins, or a gang was displaced: a shape may fit that did not before. */
void blocked_shapes_forget(struct sched *s);
/* No member of the shape can get a node: a smaller shape found none in this round. */
bool blocked_shapes_covers(struct sched *s, uint32_t shape);
/* No member of the shape found a node. */
void blocked_shapes_add(struct round *r, uint32_t shape);
