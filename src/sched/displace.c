#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

/*
 * Fair-share preemption. Evicted actors stand in the table in the order in which they would be put
 * back. The walk goes from its end and counts, for each node, what is free with those passed gone;
 * the first node with room for the member is taken. Of those passed on it, the ones that are not
 * needed stay, the first in the table first.
 */

static bool covers(const int64_t *have, const int64_t *want, size_t dims)
{
	for (size_t r = 0; r < dims; r++)
		if (have[r] < want[r])
			return false;
	return true;
}

static bool allowed(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark,
		    uint32_t node)
{
	const struct node *n = &s->nodes[node];
	bool kind = ask->kind_set ? ask->kind_set[n->kind / 64] >> (n->kind % 64) & 1
				  : ask->kinds >> (n->kind % 63) & 1;

	return n->present && n->schedulable && !n->exclusive && !n->over && n->mark != mark &&
	       kind && constraint_lists(s, s->keys[part].constraint, node) &&
	       !reserve_refuses(s, node, part);
}

static int64_t *avail(const struct sched *s, uint32_t node)
{
	return s->avail + (size_t)node * s->dims;
}

static void add_request(const struct sched *s, const struct actor *a, uint32_t member, int sign,
			int64_t *row)
{
	const int64_t *request = key_request(s, key_part_of(s, a->key, member));

	for (size_t r = 0; r < s->dims; r++)
		row[r] += sign * request[r];
}

static void pass(struct sched *s, const struct actor *a, uint32_t part, const struct index_ask *ask,
		 uint32_t mark)
{
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t node = actor_node(a, i);

		if (node == NIL)
			continue;
		if (s->stamps[node] != s->stamp) {
			s->stamps[node] = s->stamp;
			s->allowed[node] = allowed(s, part, ask, mark, node);
			memcpy(avail(s, node), node_free(s, node), s->dims * sizeof(int64_t));
		}
		add_request(s, a, i, 1, avail(s, node));
	}
}

static bool takes_part(const struct sched *s, const struct actor *a, uint32_t part)
{
	return a->state == ACTOR_EVICTED &&
	       s->keys[a->key].top <= s->class_level[s->keys[part].class];
}

/* Put out those on the node, from this place in the table on, whose room is needed. */
static void put_out(struct sched *s, size_t from, uint32_t node, uint32_t part,
		    const struct index_ask *ask)
{
	for (size_t i = from; i < s->table_count; i++) {
		struct actor *a = &s->actors[s->table[i]];
		int64_t left[SCHED_RESOURCES];
		bool here = false;

		if (!takes_part(s, a, part))
			continue;
		memcpy(left, avail(s, node), s->dims * sizeof(*left));
		for (uint32_t m = 0; m < a->count; m++) {
			if (actor_node(a, m) != node)
				continue;
			here = true;
			add_request(s, a, m, -1, left);
		}
		if (!here)
			continue;
		if (covers(left, ask->request, s->dims))
			memcpy(avail(s, node), left, s->dims * sizeof(*left));
		else
			displace_actor(s, s->table[i], -1);
	}
}

static void prepare(struct sched *s)
{
	size_t had = s->stamp_cap;

	GROW(s->avail, s->avail_cap, s->node_count * s->dims);
	GROW(s->stamps, s->stamp_cap, s->node_count);
	GROW(s->allowed, s->allowed_cap, s->node_count);
	if (s->stamp_cap > had)
		memset(s->stamps + had, 0, (s->stamp_cap - had) * sizeof(*s->stamps));
	if (!++s->stamp) {
		memset(s->stamps, 0, s->stamp_cap * sizeof(*s->stamps));
		s->stamp = 1;
	}
}

uint32_t displace_fair(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark)
{
	if (!s->evicted_count)
		return NIL;
	table_make(s->in_hand);
	prepare(s);
	for (size_t i = s->table_count; i-- > 0;) {
		const struct actor *a = &s->actors[s->table[i]];

		if (!takes_part(s, a, part))
			continue;
		s->work.probes += a->count;
		pass(s, a, part, ask, mark);
		for (uint32_t m = 0; m < a->count; m++) {
			uint32_t node = actor_node(a, m);

			if (node == NIL || !s->allowed[node] ||
			    !covers(avail(s, node), ask->request, s->dims))
				continue;
			put_out(s, i, node, part, ask);
			return node;
		}
	}
	return NIL;
}

/* Nobody is put out yet: some level goes below nothing, and the end of the round sees to it. */
uint32_t displace_urgent(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark)
{
	uint32_t top = s->class_level[s->keys[part].class];

	for (uint32_t l = 1; l <= top; l++) {
		uint32_t node = level_find(s, l, ask, part, mark);

		if (node != NIL)
			return node;
	}
	return NIL;
}
