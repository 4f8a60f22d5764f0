/*
 * Fair-share preemption: which of the evicted gangs lose their nodes to a member.
 *
 * Input: the part of a member that has no free node. Output: a node, and displaced gangs. The
 * evicted gangs are in the table in the order in which they would be put back (evict.c); the last
 * ones have the weakest claim. The search walks the table from its end. For each node it adds up
 * what is free on it and what the gangs passed so far use there. It stops at the first node with
 * room for the member. Then it walks forward again from that place: a gang on this node whose room
 * is not needed after all stays, the first in the table first. The others are displaced.
 *
 * Gangs in a class more urgent than the member are skipped. A displacement is noted in the journal
 * of the current gang (place.h), and place_undo reverts it if the gang fails. A gang that is
 * displaced loses all its nodes, not this one only.
 */
#include "sched/round/fair_preempt.h"
#include "sched/round/level_search.h"
#include "sched/round/state.h"
#include "util/mem.h"

#include <string.h>

static int64_t *avail(const struct sched *s, uint32_t node)
{
	return s->walk.avail + (size_t)node * s->model.dims;
}

static void add_request(const struct model *m, const struct running_gang *a, uint32_t member,
			int sign, int64_t *row)
{
	amounts_change(row, job_shape_request(m, job_shape_part_of(m, a->shape, member)), sign,
		       m->dims);
}

static void pass(struct sched *s, const struct running_gang *a, uint32_t part,
		 const struct node_index_ask *ask, uint32_t mark)
{
	struct model *m = &s->model;

	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t node = running_gang_node(a, i);

		if (node == NIL)
			continue;
		if (s->walk.stamps[node] != s->walk.stamp) {
			s->walk.stamps[node] = s->walk.stamp;
			s->walk.allowed[node] =
				level_search_allows(m, &s->reservation, ask, part, mark, node);
			memcpy(avail(s, node), nodes_free(m, node), m->dims * sizeof(int64_t));
		}
		add_request(m, a, i, 1, avail(s, node));
	}
}

static bool takes_part(const struct model *m, const struct running_gang *a, uint32_t part)
{
	return a->state == GANG_EVICTED &&
	       m->shapes.list[a->shape].top <= m->levels.of_class[m->shapes.list[part].class];
}

/* Displace the gangs on the node, from this place in the table on, whose room is needed. */
static void displace_gangs(struct sched *s, size_t from, uint32_t node, uint32_t part,
			   const struct node_index_ask *ask)
{
	struct model *m = &s->model;

	for (size_t i = from; i < s->evicted.table_count; i++) {
		struct running_gang *a = &s->gangs.list[s->evicted.table[i]];
		int64_t left[SCHED_RESOURCES];
		bool here = false;

		if (!takes_part(m, a, part))
			continue;
		memcpy(left, avail(s, node), m->dims * sizeof(*left));
		for (uint32_t member = 0; member < a->count; member++) {
			if (running_gang_node(a, member) != node)
				continue;
			here = true;
			add_request(m, a, member, -1, left);
		}
		if (!here)
			continue;
		if (amounts_cover(left, ask->request, m->dims))
			memcpy(avail(s, node), left, m->dims * sizeof(*left));
		else
			place_displace(s, s->evicted.table[i], -1);
	}
}

static void prepare(struct sched *s)
{
	struct model *m = &s->model;
	size_t had = s->walk.stamp_cap;

	GROW(s->walk.avail, s->walk.avail_cap, m->nodes.count * m->dims);
	GROW(s->walk.stamps, s->walk.stamp_cap, m->nodes.count);
	GROW(s->walk.allowed, s->walk.allowed_cap, m->nodes.count);
	if (s->walk.stamp_cap > had)
		memset(s->walk.stamps + had, 0,
		       (s->walk.stamp_cap - had) * sizeof(*s->walk.stamps));
	if (!++s->walk.stamp) {
		memset(s->walk.stamps, 0, s->walk.stamp_cap * sizeof(*s->walk.stamps));
		s->walk.stamp = 1;
	}
}

uint32_t fair_preempt_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
				uint32_t mark)
{
	struct model *m = &s->model;

	if (!s->gangs.evicted_count)
		return NIL;
	evict_order_make(s->current);
	prepare(s);
	for (size_t i = s->evicted.table_count; i-- > 0;) {
		const struct running_gang *a = &s->gangs.list[s->evicted.table[i]];

		if (!takes_part(m, a, part))
			continue;
		m->work.probes += a->count;
		pass(s, a, part, ask, mark);
		for (uint32_t member = 0; member < a->count; member++) {
			uint32_t node = running_gang_node(a, member);

			if (node == NIL || !s->walk.allowed[node] ||
			    !amounts_cover(avail(s, node), ask->request, m->dims))
				continue;
			displace_gangs(s, i, node, part, ask);
			return node;
		}
	}
	return NIL;
}
