#include "sched/forecast.h"

#include <string.h>

static bool counts(const struct forecast *q, const struct course *c, const struct end *e)
{
	struct sched *s = q->s;
	uint8_t state = q->absent && e->task != NIL ? q->absent[e->task] : ACTOR_BOUND;

	if (!c->level)
		return state != ACTOR_OUT;
	return state == ACTOR_BOUND &&
	       (e->firm || s->class_level[s->keys[e->part].class] >= c->level);
}

void course_begin(const struct forecast *q, uint32_t node, struct course *c)
{
	struct sched *s = q->s;
	const struct node *n = &s->nodes[node];
	const struct ends *e = &s->ends[node];

	*c = (struct course){.tasks = n->tasks,
			     .exclusive = n->exclusive,
			     .a = e->list,
			     .a_end = e->list + e->count,
			     .node = node,
			     .level = n->over ? 0 : q->level};
	if (q->fresh) {
		c->b = q->fresh + q->fresh_from[node];
		c->b_end = q->fresh + q->fresh_from[node + 1];
	}
	memcpy(c->room, c->level ? node_level(s, node, c->level) : node_free(s, node),
	       s->dims * sizeof(*c->room));
}

bool course_peek(const struct course *c, int64_t *ret_at_us)
{
	if (c->a == c->a_end && c->b == c->b_end)
		return false;
	if (c->a == c->a_end || (c->b != c->b_end && c->b->at_us < c->a->at_us))
		*ret_at_us = c->b->at_us;
	else
		*ret_at_us = c->a->at_us;
	return true;
}

void course_step(const struct forecast *q, struct course *c)
{
	const struct end *e = c->a == c->a_end || (c->b != c->b_end && c->b->at_us < c->a->at_us)
				      ? c->b++
				      : c->a++;
	const int64_t *request = key_request(q->s, e->part);

	if (q->absent && e->task != NIL && q->absent[e->task] == ACTOR_OUT)
		return;
	c->tasks--;
	c->exclusive -= q->s->keys[e->part].exclusive;
	for (size_t d = 0; counts(q, c, e) && d < q->s->dims; d++)
		c->room[d] += request[d];
}

uint64_t room_holds(const struct sched *s, const int64_t *room, uint32_t part, uint64_t most)
{
	const int64_t *request = key_request(s, part);

	for (size_t d = 0; d < s->dims; d++) {
		if (room[d] < request[d])
			return 0;
		if (most > 1 && request[d] > 0 && (uint64_t)(room[d] / request[d]) < most)
			most = (uint64_t)(room[d] / request[d]);
	}
	return most;
}

uint64_t course_holds(const struct forecast *q, const struct course *c, uint32_t part,
		      uint64_t most)
{
	if (c->exclusive || (q->idle && c->tasks))
		return 0;
	return room_holds(q->s, c->room, part, q->idle || q->distinct ? 1 : most);
}

uint32_t value_at(const struct forecast *q, uint32_t part, uint32_t node)
{
	struct sched *s = q->s;
	const struct node *n = &s->nodes[node];

	if (!n->present || !n->schedulable || !kinds_take(key_kinds(s, part), n->kind) ||
	    !constraint_lists(s, s->keys[part].constraint, node))
		return NIL;
	return q->value_of ? q->value_of[n->kind] : 0;
}
