/*
 * Preemption: whom a member without a free node displaces.
 *
 * Input: the part of the member, and the list of the gangs that it may displace, the least
 * protected first (victim_list.h). Output: a node, and displaced gangs.
 *
 * The search walks the list from its begin, and counts what it has walked as free. It ends when the
 * member fits on a node of the gang just walked; of several such nodes the first in the sequence of
 * the select plugin is taken. Then it goes back through the gangs walked on this node, from the most
 * protected to the least: a gang without whom the member still fits stays, the others are displaced,
 * each on all its nodes. The room that is left over is free at once.
 *
 * A further member of the same part would walk the same gangs again, in vain: only the node of the
 * last member has less room than before. So its walk looks at that node again, and then goes on from
 * where the last one ended. It begins anew if a gang on several nodes was displaced, or walked last.
 *
 * A displacement is noted in the journal of the gang in hand (place.h), and place_undo reverts it if
 * that gang fails. displace_settle makes it final: the cost of the victim's queue falls, and its
 * head is found again. A victim that the round itself had started stays in its queue, and is not
 * tried again in the round.
 */
#include "sched/round/displace.h"
#include "sched/round/backfill.h"
#include "sched/round/blocked_shapes.h"
#include "sched/round/level_search.h"
#include "sched/round/next_queue.h"
#include "util/mem.h"

#include <string.h>

/* The free room of the node, with the gangs that were walked. */
static int64_t *avail(const struct sched *s, uint32_t node)
{
	return s->walk.rows + (size_t)node * (s->model.dims + 1) + 1;
}

/* The level whose list a member uses; level 1 has only gangs that scavenge. */
static uint32_t list_level(const struct model *m, uint32_t part)
{
	const struct job_shape *k = &m->shapes.list[part];

	return k->exclusive || k->exclusive_user ? 1 : m->levels.of_class[k->class];
}

static void add_request(const struct model *m, const struct running_gang *a, uint32_t member,
			int sign, int64_t *row)
{
	amounts_change(row, job_shape_request(m, job_shape_part_of(m, a->shape, member)), sign,
		       m->dims);
}

/* What the gang uses counts as free from now on. */
static void walk_gang(struct sched *s, const struct running_gang *a)
{
	struct model *m = &s->model;

	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t node = running_gang_node(a, i);
		int64_t *row;

		if (node == NIL)
			continue;
		row = avail(s, node);
		if (row[-1] != s->walk.stamp) {
			row[-1] = s->walk.stamp;
			s->walk.tenants[node] = m->nodes.list[node].tenants;
			memcpy(row, nodes_free(m, node), m->dims * sizeof(*row));
		}
		add_request(m, a, i, 1, row);
		tenants_change(&s->walk.tenants[node],
			       &m->shapes.list[job_shape_part_of(m, a->shape, i)], -1);
	}
	m->work.probes += a->count;
}

/* Is the node before the other one in the sequence of the select plugin? */
static bool is_before(const struct sched *s, uint32_t node, uint32_t other)
{
	const struct model *m = &s->model;
	int c = amounts_compare(m->policies.sequence, m->dims, avail(s, node), avail(s, other));

	return c ? c < 0 : m->nodes.list[node].order < m->nodes.list[other].order;
}

/* Has the node room for the member, and may the member share it with those that were not walked? */
static bool has_room(const struct sched *s, uint32_t node, const struct node_index_ask *ask)
{
	return amounts_cover(avail(s, node), ask->request, s->model.dims) &&
	       tenants_admit(&s->walk.tenants[node], ask->shape);
}

/* The node of the gang on which the member fits; NIL: none. */
static uint32_t node_with_room(struct sched *s, const struct running_gang *a, uint32_t part,
			       const struct node_index_ask *ask, uint32_t mark)
{
	struct model *m = &s->model;
	uint32_t best = NIL;

	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t node = running_gang_node(a, i);

		if (node != NIL && has_room(s, node, ask) &&
		    level_search_allows(m, &s->reservation, ask, part, mark, node) &&
		    (best == NIL || is_before(s, node, best)))
			best = node;
	}
	return best;
}

/* Displace those of the gangs on the node whose room is needed: `last` was walked last. */
static void displace_needed(struct sched *s, size_t last, uint32_t node, uint32_t level,
			    const struct node_index_ask *ask)
{
	struct model *m = &s->model;

	for (size_t place = last + 1; place-- > 0;) {
		struct victim v = *victim_list_at(s, level, place);
		const struct running_gang *a = &s->gangs.list[v.gang];
		int64_t left[SCHED_RESOURCES];
		struct tenants others = s->walk.tenants[node];
		bool here = false;

		if ((v.node != node && v.node != VICTIM_SEVERAL) || a->state == GANG_OUT)
			continue;
		memcpy(left, avail(s, node), m->dims * sizeof(*left));
		for (uint32_t i = 0; i < a->count; i++) {
			if (running_gang_node(a, i) != node)
				continue;
			here = true;
			add_request(m, a, i, -1, left);
			tenants_change(&others, &m->shapes.list[job_shape_part_of(m, a->shape, i)],
				       1);
		}
		if (here && amounts_cover(left, ask->request, m->dims) &&
		    tenants_admit(&others, ask->shape)) {
			s->walk.tenants[node] = others;
			memcpy(avail(s, node), left, m->dims * sizeof(*left));
			continue;
		}
		if (!here)
			continue;
		place_displace(s, v.gang, place, victim_list_is_urgency(m, a, level));
		s->walk.goes_on = s->walk.goes_on && v.node == node;
	}
}

/* Nothing is walked yet. */
static void begin_walk(struct sched *s)
{
	const struct model *m = &s->model;
	size_t had = s->walk.cap;

	GROW(s->walk.tenants, s->walk.tenant_cap, m->nodes.count);
	GROW(s->walk.rows, s->walk.cap, m->nodes.count * (m->dims + 1));
	memset(s->walk.rows + had, 0, (s->walk.cap - had) * sizeof(*s->walk.rows));
	s->walk.stamp++;
}

void displace_undone(struct sched *s)
{
	s->walk.goes_on = false;
}

/*
 * The node of the last member, if another one fits there with some of the gangs walked; the place of
 * the last of them is stored. NIL: it does not fit.
 */
static uint32_t last_node_again(struct sched *s, uint32_t part, const struct node_index_ask *ask,
				uint32_t mark, size_t *ret_place)
{
	struct model *m = &s->model;
	uint32_t level = list_level(m, part), node = s->walk.node;
	int64_t *row = avail(s, node);

	s->walk.tenants[node] = m->nodes.list[node].tenants;
	memcpy(row, nodes_free(m, node), m->dims * sizeof(*row));
	for (size_t place = 0; place <= s->walk.place; place++) {
		struct victim v = *victim_list_at(s, level, place);
		const struct running_gang *a = &s->gangs.list[v.gang];

		if ((v.node != node && v.node != VICTIM_SEVERAL) || a->state == GANG_OUT)
			continue;
		for (uint32_t i = 0; i < a->count; i++)
			if (running_gang_node(a, i) == node) {
				add_request(m, a, i, 1, row);
				tenants_change(&s->walk.tenants[node],
					       &m->shapes.list[job_shape_part_of(m, a->shape, i)],
					       -1);
			}
		*ret_place = place;
		if (has_room(s, node, ask) &&
		    level_search_allows(m, &s->reservation, ask, part, mark, node))
			return node;
	}
	return NIL;
}

/* Walk on from this place. The place where the member fits is stored. NIL: nowhere. */
static uint32_t walk_from(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark, size_t *place)
{
	const struct model *m = &s->model;
	uint32_t level = list_level(m, part);
	const struct victim *v;

	for (; (v = victim_list_at(s, level, *place)); ++*place) {
		const struct running_gang *a = &s->gangs.list[v->gang];
		uint32_t node;

		if (a->state == GANG_OUT)
			continue;
		walk_gang(s, a);
		node = node_with_room(s, a, part, ask, mark);
		if (node == NIL)
			continue;
		s->walk.place = *place;
		s->walk.node = node;
		s->walk.goes_on = v->node != VICTIM_SEVERAL;
		return node;
	}
	return NIL;
}

uint32_t displace_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			    uint32_t mark)
{
	bool goes_on = s->walk.goes_on && s->walk.hand == s->victims.hand && s->walk.part == part;
	size_t place = 0;
	uint32_t node = goes_on ? last_node_again(s, part, ask, mark, &place) : NIL;

	if (node == NIL) {
		place = goes_on ? s->walk.place + 1 : 0;
		if (!goes_on)
			begin_walk(s);
		s->walk.goes_on = false;
		s->walk.hand = s->victims.hand;
		s->walk.part = part;
		node = walk_from(s, part, ask, mark, &place);
	}
	if (node != NIL)
		displace_needed(s, place, node, list_level(&s->model, part), ask);
	return node;
}

static void settle(struct round *r, const struct placing_change *change)
{
	struct sched *s = r->s;
	struct running_gang *a = &s->gangs.list[change->index];

	if (a->was == GANG_PLACED)
		running_gang_account(r, a, -1);
	a->was = GANG_OUT;
	a->preemptor = (uint32_t)s->gangs.count - 1;
	victim_list_lose(r, change->index);
	if (a->fresh)
		backfill_displaced(r, change->index);
	running_gang_lose(r, change->index,
			  r->m->shapes.list[a->shape].scavenge ? "scavenging"
			  : change->urgency                    ? "urgency"
							       : "fair-share");
	next_queue_changed(r, a->row);
}

/* A shape that did not fit may fit into the room that is left over, so no shape answers for others. */
void displace_settle(struct round *r)
{
	struct placing *p = &r->s->placing;
	bool any = false;

	for (size_t i = 0; i < p->journal_count; i++) {
		if (!p->journal[i].victim)
			continue;
		settle(r, &p->journal[i]);
		any = true;
	}
	p->journal_count = 0;
	if (any)
		blocked_shapes_forget(r->s);
}
