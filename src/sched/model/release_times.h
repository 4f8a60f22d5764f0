/*
 * For each node the times at which its members with a time limit end at the latest, sorted. Members
 * without a limit are not listed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct model;

/* A member with a time limit ends at this time at the latest. */
struct release_time {
	int64_t at_us;
	uint32_t task; /* NIL: started in this round */
	uint32_t part : 31;
	uint32_t firm : 1; /* counts at every level */
};

/* Those of one node, by time. */
struct release_times {
	struct release_time *list;
	uint32_t count, cap;
};

struct node_releases {
	struct release_times *of_node;
	size_t cap;
	uint64_t count; /* of all nodes */
};

void release_times_add_node(struct model *m, uint32_t node); /* a new node: none */
void release_times_add(struct model *m, uint32_t node, const struct release_time *e);
void release_times_remove(struct model *m, uint32_t node, uint32_t task, uint32_t part);
