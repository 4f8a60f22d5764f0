#include "sched/round.h"

/* Does the node hold too much at the level? Where it does, it does at all levels below. */
static bool lacks(const struct sched *s, uint32_t node, uint32_t level)
{
	const int64_t *have = node_level(s, node, level);

	for (size_t d = 0; d < s->dims && !s->nodes[node].over; d++)
		if (have[d] < 0)
			return true;
	return false;
}

static bool lacks_any(const struct sched *s, uint32_t node)
{
	return lacks(s, node, 1);
}

static bool in_the_way(const struct sched *s, const struct actor *a)
{
	if (a->state != ACTOR_BOUND || !s->keys[a->key].urgent)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t level = s->class_level[s->keys[key_part_of(s, a->key, i)].class];

		if (actor_node(a, i) != NIL && lacks(s, actor_node(a, i), level))
			return true;
	}
	return false;
}

static void serve_row(struct round *r, uint32_t row)
{
	uint32_t actor = head_actor(r, row);

	if (!actor_put_back(r, actor, false))
		actor_gone(r, actor, "urgency");
	head_taken(r, row);
}

static void lose_row(struct round *r, uint32_t row)
{
	actor_gone(r, head_actor(r, row), "urgency");
	head_taken(r, row);
}

/* Those in the way go; how many. */
static uint32_t clear_way(struct round *r, uint32_t *list)
{
	struct sched *s = r->s;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->actor_count; i++)
		if (in_the_way(s, &s->actors[i]))
			list[n++] = i;
	actors_put_out(r, list, n);
	return n;
}

/*
 * Gangs whose members differ in class may go for one another, and leave room that others lost to
 * them: they have it back, where nobody is in their way.
 */
static void give_back(struct round *r)
{
	struct sched *s = r->s;
	size_t n = 0;

	for (size_t i = 0; i < r->gone_count; i++) {
		struct actor *a = &s->actors[s->gone[i]];

		if (a->why[0] != 'u' || !actor_put_back(r, s->gone[i], true))
			s->gone[n++] = s->gone[i];
		else if (a->fresh)
			r->result->shares[a->row].started++;
		else
			r->result->shares[a->row].preempted--;
	}
	r->gone_count = n;
}

/*
 * Those in the way go, and come back in their order as far as there is room. Gangs whose members
 * differ in class may take two to come to rest; who is in the way even then does not come back.
 */
void round_relieve(struct round *r)
{
	struct sched *s = r->s;
	uint32_t *list, n = 1;

	if (!s->level_count)
		return;
	list = arena_alloc(r->arena, (s->actor_count + 1) * sizeof(*list));
	r->evicted_only = true;
	for (uint32_t pass = 0; n && levels_any(s, lacks_any) && !r->fault; pass++) {
		n = clear_way(r, list);
		round_heads(r);
		round_serve(r, pass <= s->level_count ? serve_row : lose_row);
		for (uint32_t i = 0; i < n; i++)
			if (s->actors[list[i]].state == ACTOR_EVICTED &&
			    (pass > s->level_count || !actor_put_back(r, list[i], false)))
				actor_gone(r, list[i], "urgency");
	}
	give_back(r);
}
