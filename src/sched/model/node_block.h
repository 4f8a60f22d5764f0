/*
 * Blocks of 16 nodes: for each level and resource, an upper bound of what a node of the block has,
 * for searches through the levels. A bound is never below what a node of its block has.
 *
 * Nodes are in blocks in the order in which they were added, until too many searches visit blocks
 * in vain. Then nodes with similar rows at the searched level are moved into the same blocks. The
 * order has no effect on the results; a good order saves visits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEVEL_BLOCK = 16 }; /* larger blocks would have their maxima on different nodes */

struct model;

struct node_blocks {
	int64_t *bounds;              /* of blocks: a row for each level */
	bool *exact;                  /* of bounds: equal to the maximum */
	uint32_t *slots, *slot_nodes; /* the slot of a node, and the node in a slot */
	size_t bounds_cap, exact_cap, slots_cap, slot_nodes_cap;
	uint64_t wasted_visits; /* nodes visited in vain since the last sort */
	uint32_t misled_level;
	uint64_t sorted; /* nodes.moves at the last sort */
};

void node_block_add_node(struct model *m, uint32_t node);
void node_block_forget(struct model *m);
void node_block_sort(struct model *m);         /* if it is worth it; not within a round */
size_t node_block_size(const struct model *m); /* of bounds */
void node_block_raise(struct model *m, uint32_t node, uint32_t level);  /* the node has more */
void node_block_loosen(struct model *m, uint32_t node, uint32_t level); /* it may have less */
void node_block_loosen_all(struct model *m);
/* The nodes in these slots were visited in vain for the level: make the bound exact. */
void node_block_tighten(struct model *m, uint32_t from, uint32_t end, uint32_t level);
