/*
 * The nodes of the ranks of a step as blocks: equal and unequal nodes, ranks in turn, more blocks than fit.
 */
#include "cmd/arun/node_blocks.h"

#include "tap/tap.h"

#include <stdio.h>

enum { MAX = 4 };

/* The blocks as text: "0:2x3 " is 3 ranks on each of 2 nodes from node 0 on. */
static void check(const char *const *nodes, uint32_t ranks, const char *want, const char *what)
{
	struct node_block blocks[MAX];
	size_t count = node_blocks(nodes, ranks, blocks, MAX);
	char text[128] = "";
	int len = 0;

	for (size_t i = 0; i < count; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%u:%ux%u ", blocks[i].node,
				blocks[i].nodes, blocks[i].ranks);
	is_str(text, want, "%s", what);
}

int main(void)
{
	check((const char *[]){"a"}, 1, "0:1x1 ", "one rank");
	check((const char *[]){"b", "b", "a", "a"}, 4, "0:2x2 ", "two equal nodes");
	check((const char *[]){"a", "a", "a", "b", "c"}, 5, "0:1x3 1:2x1 ", "unequal nodes");
	check((const char *[]){"a", "b", "a", "b"}, 4, "0:2x1 0:2x1 ", "ranks in turn");
	check((const char *[]){"a", "b", "b", "a"}, 4, "0:1x1 1:1x2 0:1x1 ", "a node named again");
	check((const char *[]){"a", "b", "a", "b", "a", "b", "a", "b"}, 8,
	      "0:2x1 0:2x1 0:2x1 0:2x1 ", "as many blocks as fit");
	check((const char *[]){"a", "b", "a", "b", "a", "b", "a", "b", "a"}, 9, "",
	      "one block more gives none");
	check(NULL, 0, "", "no ranks");
	return done();
}
