/*
 * Blocks of nodes (node_blocks.h): runs of ranks on one node, of which neighbours with the same length on
 * successive nodes are joined.
 */
#include "cmd/arun/node_blocks.h"

#include "util/mem.h"

#include <string.h>

struct names {
	const char **list;
	size_t count, cap;
};

static uint32_t number_of(struct names *n, const char *name)
{
	/* the last one first: most ranks are on it or on a new one */
	for (size_t i = n->count; i-- > 0;)
		if (strcmp(n->list[i], name) == 0)
			return (uint32_t)i;
	GROW(n->list, n->cap, n->count + 1);
	n->list[n->count] = name;
	return (uint32_t)n->count++;
}

static uint32_t run_length(const char *const *nodes, uint32_t at, uint32_t ranks)
{
	uint32_t end = at + 1;

	while (end < ranks && strcmp(nodes[end], nodes[at]) == 0)
		end++;
	return end - at;
}

size_t node_blocks(const char *const *nodes, uint32_t ranks, struct node_block *ret_blocks,
		   size_t max)
{
	struct names names = {0};
	size_t count = 0;
	uint32_t length;

	for (uint32_t at = 0; at < ranks && count <= max; at += length) {
		uint32_t node = number_of(&names, nodes[at]);
		struct node_block *last = count ? &ret_blocks[count - 1] : NULL;

		length = run_length(nodes, at, ranks);
		if (last && last->ranks == length && last->node + last->nodes == node)
			last->nodes++;
		else if (count++ < max)
			ret_blocks[count - 1] = (struct node_block){node, 1, length};
	}
	free(names.list);
	return count <= max ? count : 0;
}
