/*
 * Blocks of a few nodes: the most that any of them has of each resource at each level, as upper
 * bounds, for searches through the levels. A bound is never below what a node of its block has.
 *
 * Nodes stand in blocks as they came, until searches were misled too often: then nodes that are alike
 * at the level that was searched are put together. Any order is right; a good one saves looking at
 * nodes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEVEL_BLOCK = 16 }; /* few nodes, or the most of each resource is of different ones */

struct model;

struct node_blocks {
	int64_t *bounds;              /* of blocks: a row for each level */
	bool *exact;                  /* of bounds: no more than that */
	uint32_t *slots, *slot_nodes; /* where a node stands in the blocks, and who stands there */
	size_t bounds_cap, exact_cap, slots_cap, slot_nodes_cap;
	uint64_t misled; /* nodes looked at in vain since they were put in order */
	uint32_t misled_level;
	uint64_t sorted; /* when the moves of nodes were so many */
};

void node_block_add_node(struct model *m, uint32_t node);
void node_block_forget(struct model *m);
void node_block_sort(struct model *m);         /* if it is worth it; not within a round */
size_t node_block_size(const struct model *m); /* of bounds */
void node_block_raise(struct model *m, uint32_t node, uint32_t level);  /* the node has more */
void node_block_loosen(struct model *m, uint32_t node, uint32_t level); /* it may have less */
void node_block_loosen_all(struct model *m);
/* The nodes in slots from to end were looked at for the level in vain: the bound is made exact. */
void node_block_tighten(struct model *m, uint32_t from, uint32_t end, uint32_t level);
/* Which has less room at the level, in the sequence of the select plugin. */
int node_block_compare(const struct model *m, uint32_t level, uint32_t a, uint32_t b);
