/*
 * Priority classes, and the levels that stand for their priorities.
 *
 * Level 0 is what is truly free on a node (nodes.h). Level 1 and up stand for the class priorities, the
 * least urgent first: a node's row at a level is what a task of that priority could get there by
 * displacing whatever is less urgent and may be displaced. There are no levels where the preempt plugin
 * displaces nobody.
 */
#pragma once

#include "sched/limits.h"

#include <stddef.h>
#include <stdint.h>

struct model;

struct priority_levels {
	struct sched_class *classes;
	size_t class_count;
	uint32_t *of_class; /* the level of each class; 0 where there are none */
	uint32_t count;
	int64_t *rows; /* of nodes: `count` rows each */
	size_t rows_cap;
};

uint32_t priority_level_find_class(const struct model *m, const char *name); /* 0: unknown */
/* From the classes and the preempt plugin. */
void priority_level_init(struct model *m);
/* For another priority_level_init; nodes and tasks have to be added again. */
void priority_level_forget(struct model *m);
void priority_level_add_node(struct model *m, uint32_t node); /* a new one: all 0 */
/* A member of the part begins (1) or ceases (-1) to weigh on levels 1 to cutoff of the node. */
void priority_level_use(struct model *m, uint32_t node, uint32_t part, uint32_t cutoff, int sign);
/* The node has so much more at all levels. */
void priority_level_grow(struct model *m, uint32_t node, size_t resource, int64_t by);
