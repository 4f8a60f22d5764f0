/*
 * Priority classes, and the levels of their priorities.
 *
 * Level 0 is the room that is really free on a node (nodes.h). Levels 1 and up are the class
 * priorities, the least urgent first: the row of a node at a level is the room of a task of that
 * priority there if it displaces all less urgent tasks that may be displaced. There are no levels
 * if the preempt plugin displaces nothing.
 *
 * Jobs that scavenge are in a class of their own below all others. It exists from the first such job on,
 * so that a cluster without them has no further level. It is level 1, whatever the preempt plugin displaces.
 */
#pragma once

#include "sched/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

struct priority_levels {
	struct sched_class *classes;
	size_t class_count;
	uint32_t *of_class; /* the level of each class; 0 if there are no levels */
	uint32_t count;
	/* bit (level % 64): urgency may displace gangs of a class at such a level */
	uint64_t urgent_levels;
	bool mixed;      /* there is, or was, a shape with members of several classes */
	bool scavenging; /* there is, or was, a job that scavenges: level 1 is that of scavenge_class */
	uint32_t scavenge_class;
	int64_t *rows; /* of nodes: `count` rows each */
	size_t rows_cap;
};

uint32_t priority_level_find_class(const struct model *m, const char *name); /* 0: unknown */
/* The priority of the classes at the level. O(classes). */
int64_t priority_level_priority(const struct model *m, uint32_t level);
/* Make the levels from the classes and the preempt plugin. */
void priority_level_init(struct model *m);
/* The same again, with the use of all nodes and running tasks. O(shapes, nodes and tasks). */
void priority_level_remake(struct model *m);
/* Add a class, with a row of each queue. */
void priority_level_add_class(struct model *m, const struct sched_class *class);
/* The class of jobs that scavenge; the first call adds it. */
uint32_t priority_level_scavenge_class(struct model *m);
/* Before another priority_level_init; nodes and tasks must be added again. */
void priority_level_forget(struct model *m);
void priority_level_add_node(struct model *m, uint32_t node); /* a new node: all 0 */
/* A member of the part begins (1) or ceases (-1) to count at levels 1 to cutoff of the node. */
void priority_level_use(struct model *m, uint32_t node, uint32_t part, uint32_t cutoff, int sign);
/* The node has this much more at all levels. */
void priority_level_grow(struct model *m, uint32_t node, size_t resource, int64_t by);
