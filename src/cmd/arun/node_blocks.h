/*
 * The nodes of the ranks of a step as few blocks: ranks 0 to 7 on two nodes are one block of 2 nodes with 4
 * ranks each.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* `ranks` ranks on each of `nodes` nodes, from the node with number `node` on. */
struct node_block {
	uint32_t node, nodes, ranks;
};

/*
 * nodes: the name for each rank. Nodes get numbers from 0 in the order in which ranks name them. Returns the
 * number of blocks; 0 if there are more than max.
 */
size_t node_blocks(const char *const *nodes, uint32_t ranks, struct node_block *ret_blocks,
		   size_t max);
