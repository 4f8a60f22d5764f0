/*
 * The running elements and their nodes. What runs weighs on its nodes, its queue and its user.
 */
#pragma once

#include "sched/model/map.h"

#include <stdbool.h>

struct model;

struct task {
	uint32_t job, element, subqueue;
	uint32_t count;
	uint32_t one;      /* the node, when count is 1; NIL: that member does not run */
	uint32_t elements; /* that it counts as */
	uint32_t *many;    /* nodes, when count is more */
	int64_t *owed; /* of members that yield, and count under limits till the end; NULL: none */
	int64_t start_us;
	bool pinned; /* weighs as what may not be displaced */
};

struct tasks {
	struct task *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	uint32_t *serials; /* how many ended in that place */
	size_t serials_cap;
};

/* Its nodes, one for each member; NIL: the member does not run. */
static inline uint32_t *tasks_nodes(const struct task *t)
{
	return t->many ? t->many : (uint32_t *)&t->one;
}

/* A new task without nodes; tasks_begin, once the caller has set them. */
struct task *tasks_open(struct model *m, uint32_t job, uint32_t element, int64_t start_us);
void tasks_begin(struct model *m, struct task *t);
void tasks_end(struct model *m, struct task *t);
/* As the calls of sched.h with these names. */
void tasks_started(struct model *m, struct task *t, int64_t start_us);
void tasks_pin(struct model *m, struct task *t, bool pinned);
void tasks_end_member(struct model *m, struct task *t, uint32_t member);
void tasks_yield_member(struct model *m, struct task *t, uint32_t member);
/* It counts as so many elements under limits. */
void tasks_count(struct model *m, struct task *t, uint32_t elements);
/* Whatever runs weighs on the levels of its nodes, which were all made anew. */
void tasks_weigh(struct model *m);
/* To another subqueue of its queue, with all that runs of it. O(tasks) if anything does. */
void tasks_change_subqueue(struct model *m, uint32_t job, uint32_t subqueue);
