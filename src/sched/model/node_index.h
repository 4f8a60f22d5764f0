/*
 * Nodes in the order in which they are tried: least free first, resource by resource in the
 * sequence of the select plugin, then as they were declared.
 *
 * A sorted array cut in chunks of at most INDEX_CHUNK nodes. A chunk knows the most that any of its
 * nodes has free of each resource, and which kinds of node are in it, both as upper bounds that are
 * made exact when a search was misled by them: so a search skips what cannot fit a chunk at a time,
 * and nothing that fits is ever missed. Insert and remove cost O(log n + INDEX_CHUNK).
 *
 * A node must be removed before what it has free changes, and inserted after.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INDEX_CHUNK = 64, INDEX_RESOURCES = 8 };
#define INDEX_IDLE (UINT64_C(1) << 63) /* a node where nothing runs */

struct model;

struct node_index {
	struct node_index_chunk **chunks;
	size_t count, cap;
	uint64_t nodes;
};

struct node_index_ask {
	const int64_t *request;
	uint64_t kinds;           /* any of these bits */
	const uint64_t *kind_set; /* exact; NULL: kinds is */
	bool idle;                /* only nodes where nothing runs */
};

/* Where a search stands. Zeroed: at the start. */
struct node_index_cursor {
	bool begun;
	size_t chunk, entry;
};

void node_index_done(struct node_index *x);
void node_index_insert(struct model *m, struct node_index *x, uint32_t node);
void node_index_remove(struct model *m, struct node_index *x, uint32_t node);
/* The next node in order that has what is asked; NIL: none. The index stays as it is. */
uint32_t node_index_next(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			 struct node_index_cursor *cursor);
/* The most that any node of these kinds has free of a resource, and where; NIL: no such node. */
uint32_t node_index_best(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			 size_t resource);
/*
 * The node of these kinds that comes nearest to what is asked: the least sum, over the resources,
 * of what is lacking as a part of the request; of equals the one declared first. NIL: no such node.
 * The chunks and nodes looked at are added to the work.
 */
uint32_t node_index_nearest(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			    uint64_t *ret_work);
/* The nearest of the nodes compared so far, and that sum; node NIL: none. */
struct node_nearest {
	uint32_t node;
	double lack;
};
/* Is this one nearer to what is asked? Then it is the nearest. */
void node_index_nearer(const struct model *m, struct node_nearest *best, uint32_t node,
		       const int64_t *request);
