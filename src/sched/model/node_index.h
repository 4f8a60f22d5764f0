/*
 * Nodes in the order in which they are tried: least free first, resource by resource in the
 * sequence of the select plugin, then as they were declared.
 *
 * A sorted array in chunks of at most INDEX_CHUNK nodes. A chunk has the maximum of each free
 * resource over its nodes, and the set of their node classes. Both are upper bounds that are made
 * exact when a search visited the chunk in vain. So a search skips whole chunks, and never misses a
 * node that fits. Insert and remove cost O(log n + INDEX_CHUNK).
 *
 * A node must be removed before its free resources change, and inserted afterwards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INDEX_CHUNK = 64, INDEX_RESOURCES = 16 };
#define INDEX_IDLE (UINT64_C(1) << 63) /* a node without tasks */

struct job_shape;
struct model;

struct node_index {
	struct node_index_chunk **chunks;
	size_t count, cap;
	uint64_t nodes;
};

struct node_index_ask {
	const int64_t *request;
	uint64_t kinds;           /* any of these bits */
	const uint64_t *kind_set; /* exact; NULL: kinds is exact */
	const struct job_shape
		*shape; /* its members may join the tasks of the node; NULL: any node */
};

/* The position of a search. Zeroed: the start. */
struct node_index_cursor {
	bool begun;
	size_t chunk, entry;
};

void node_index_done(struct node_index *x);
void node_index_insert(struct model *m, struct node_index *x, uint32_t node);
void node_index_remove(struct model *m, struct node_index *x, uint32_t node);
/* The next node in order that fits; NIL: none. The index does not change. */
uint32_t node_index_next(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			 struct node_index_cursor *cursor);
/* The node of these classes with most free of a resource; NIL: no such node. */
uint32_t node_index_best(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			 size_t resource);
/*
 * The node of these classes that is nearest to the request: the least sum, over the resources, of
 * the missing fractions of the request; of equals the one declared first. NIL: no such node. The
 * visited chunks and nodes are added to the work.
 */
uint32_t node_index_nearest(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			    uint64_t *ret_work);
/* The nearest of the nodes compared so far, and its sum; node NIL: none. */
struct node_nearest {
	uint32_t node;
	double lack;
};
/* Compare one more node; if it is nearer, it becomes the nearest. */
void node_index_nearer(const struct model *m, struct node_nearest *best, uint32_t node,
		       const int64_t *request);
