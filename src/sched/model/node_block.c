/*
 * Bounds of the levels, for blocks of 16 nodes (node_block.h).
 *
 * Input: changes of the rows of nodes, and searches that found nothing in a block. Output: the
 * bounds. A bound is raised when a node gains room. When a node loses room, the bound is only
 * marked as inexact; it is computed again after a search visited the block in vain. If searches
 * visited 16 times as many nodes in vain as there are nodes, and many nodes have changed, the nodes
 * are sorted again between two rounds. Then nodes with similar rows at the searched level share
 * blocks, so that a bound excludes a whole block.
 */
#include "sched/model/node_block.h"
#include "sched/model/model.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	WASTED_VISITS = 16, /* sort the nodes after this many wasted visits for each node */
	KINDS = 16,         /* up to this many node classes, blocks do not mix them */
};

static size_t block_of(const struct model *m, uint32_t node, uint32_t level)
{
	return (size_t)(m->blocks.slots[node] / LEVEL_BLOCK) * m->levels.count + level - 1;
}

size_t node_block_size(const struct model *m)
{
	return (m->nodes.count + LEVEL_BLOCK - 1) / LEVEL_BLOCK * m->levels.count * m->dims;
}

void node_block_raise(struct model *m, uint32_t node, uint32_t level)
{
	const int64_t *have = priority_level_row(m, node, level);
	int64_t *bound = m->blocks.bounds + block_of(m, node, level) * m->dims;

	for (size_t r = 0; r < m->dims; r++)
		if (have[r] > bound[r])
			bound[r] = have[r];
}

void node_block_loosen(struct model *m, uint32_t node, uint32_t level)
{
	m->blocks.exact[block_of(m, node, level)] = false;
}

void node_block_loosen_all(struct model *m)
{
	if (m->blocks.exact)
		memset(m->blocks.exact, 0, m->blocks.exact_cap * sizeof(*m->blocks.exact));
}

void node_block_forget(struct model *m)
{
	for (size_t i = 0; i < m->blocks.bounds_cap; i++)
		m->blocks.bounds[i] = INT64_MIN;
	node_block_loosen_all(m);
}

/* A new node is the last; one in a free place gets the slot of the place. */
void node_block_add_node(struct model *m, uint32_t node)
{
	size_t had = m->blocks.bounds_cap, blocks = node / LEVEL_BLOCK + 1,
	       slots = m->blocks.slots_cap;

	GROW(m->blocks.bounds, m->blocks.bounds_cap, blocks * m->levels.count * m->dims);
	for (size_t i = had; i < m->blocks.bounds_cap; i++)
		m->blocks.bounds[i] = INT64_MIN;
	had = m->blocks.exact_cap;
	GROW(m->blocks.exact, m->blocks.exact_cap, blocks * m->levels.count);
	memset(m->blocks.exact + had, 0, (m->blocks.exact_cap - had) * sizeof(*m->blocks.exact));
	GROW(m->blocks.slots, m->blocks.slots_cap, node + (size_t)1);
	GROW(m->blocks.slot_nodes, m->blocks.slot_nodes_cap, m->blocks.slots_cap);
	for (size_t i = slots; i < m->blocks.slots_cap; i++)
		m->blocks.slots[i] = m->blocks.slot_nodes[i] = (uint32_t)i;
}

/* Which node has less room at the level, in the sequence of the select plugin. */
static int compare_nodes(const struct model *m, uint32_t level, uint32_t a, uint32_t b)
{
	return amounts_compare(m->policies.sequence, m->dims, priority_level_row(m, a, level),
			       priority_level_row(m, b, level));
}

static int compare_slots(const void *a, const void *b, void *arg)
{
	const struct model *m = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t i = m->nodes.list[x].kind, k = m->nodes.list[y].kind;

	if (i != k && m->node_classes.count <= KINDS)
		return i < k ? -1 : 1;
	return compare_nodes(m, m->blocks.misled_level, x, y);
}

void node_block_sort(struct model *m)
{
	if (!m->nodes.count || m->blocks.wasted_visits < WASTED_VISITS * m->nodes.count ||
	    m->nodes.moves - m->blocks.sorted < m->nodes.count / 8)
		return;
	qsort_r(m->blocks.slot_nodes, m->nodes.count, sizeof(*m->blocks.slot_nodes), compare_slots,
		m);
	for (uint32_t i = 0; i < m->nodes.count; i++)
		m->blocks.slots[m->blocks.slot_nodes[i]] = i;
	node_block_forget(m);
	for (uint32_t i = 0; i < m->nodes.count; i++)
		for (uint32_t l = 1; l <= m->levels.count; l++)
			node_block_raise(m, i, l);
	m->blocks.wasted_visits = 0;
	m->blocks.sorted = m->nodes.moves;
}

static void tighten(struct model *m, uint32_t from, uint32_t end, uint32_t level)
{
	size_t block = block_of(m, m->blocks.slot_nodes[from], level);

	if (m->blocks.exact[block])
		return;
	for (size_t r = 0; r < m->dims; r++)
		m->blocks.bounds[block * m->dims + r] = INT64_MIN;
	for (uint32_t i = from; i < end; i++)
		if (m->nodes.list[m->blocks.slot_nodes[i]].present)
			node_block_raise(m, m->blocks.slot_nodes[i], level);
	m->blocks.exact[block] = true;
}

void node_block_tighten(struct model *m, uint32_t from, uint32_t end, uint32_t level)
{
	tighten(m, from, end, level);
	m->blocks.wasted_visits += end - from;
	m->blocks.misled_level = level;
}
