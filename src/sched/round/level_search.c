/*
 * The search for a node with room at a level, that is with room once all less urgent gangs on it
 * are preempted.
 *
 * Nodes stand in blocks of 16 slots, and each block has an upper bound of its rows at each level
 * (model/node_block.h). A block whose bound does not cover the request is skipped. If no node of a
 * block covers the request although the bound does, the bound is made exact.
 */
#include "sched/round/level_search.h"

struct search {
	struct reservation *reservation;
	const struct node_index_ask *ask;
	uint32_t level, part, mark;
};

bool level_search_allows(struct model *m, struct reservation *v, const struct node_index_ask *ask,
			 uint32_t part, uint32_t mark, uint32_t node)
{
	const struct node *n = &m->nodes.list[node];

	return n->present && n->schedulable && !n->overfull && n->mark != mark &&
	       node_class_bits_have(ask->kinds, ask->kind_set, n->kind) &&
	       constraint_lists(m, m->shapes.list[part].constraint, node) &&
	       !reservation_refuses(m, v, node, part);
}

/* Has a node of the block room? */
static bool search_block(struct model *m, const struct search *q, uint32_t from)
{
	uint32_t end =
		from + LEVEL_BLOCK < m->nodes.count ? from + LEVEL_BLOCK : (uint32_t)m->nodes.count;
	bool covered = false;

	m->work.probes += end - from;
	for (uint32_t i = from; i < end; i++) {
		uint32_t node = m->blocks.slot_nodes[i];

		if (!amounts_cover(priority_level_row(m, node, q->level), q->ask->request,
				   m->dims) ||
		    !m->nodes.list[node].present)
			continue;
		covered = true;
		if (tenants_admit(&m->nodes.list[node].tenants, q->ask->shape) &&
		    level_search_allows(m, q->reservation, q->ask, q->part, q->mark, node))
			return true;
	}
	if (!covered)
		node_block_tighten(m, from, end, q->level);
	return false;
}

bool level_search(struct model *m, struct reservation *v, uint32_t level,
		  const struct node_index_ask *ask, uint32_t part, uint32_t mark)
{
	struct search q = {
		.reservation = v, .ask = ask, .level = level, .part = part, .mark = mark};
	size_t step = m->levels.count * m->dims;
	const int64_t *bound = m->blocks.bounds + (q.level - 1) * m->dims;

	for (uint32_t i = 0; i < m->nodes.count; i += LEVEL_BLOCK, bound += step) {
		m->work.chunks++;
		if (amounts_cover(bound, q.ask->request, m->dims) && search_block(m, &q, i))
			return true;
	}
	return false;
}
