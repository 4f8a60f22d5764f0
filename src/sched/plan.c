#include "sched/forecast.h"

#include <string.h>

/* Where the members would be: each on the node with the least room that has enough. */

/* May members of the gang be on this node, if it has the value? */
static bool candidate(const struct forecast *q, uint32_t value, uint32_t node)
{
	uint32_t n;
	const uint32_t *parts = key_parts(q->s, &q->key, &n);

	for (uint32_t i = 0; i < n; i++)
		if (value_at(q, parts[i], node) == value &&
		    room_holds(q->s, node_total(q->s, node), parts[i], 1))
			return true;
	return false;
}

static void plan_begin(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p)
{
	struct sched *s = q->s;

	memset(p->uses, 0, s->node_count * sizeof(*p->uses));
	for (uint32_t node = 0; node < s->node_count; node++) {
		struct course c;
		int64_t next;

		p->usable[node] = candidate(q, value, node);
		if (!p->usable[node])
			continue;
		course_begin(q, node, &c);
		while (course_peek(&c, &next) && next <= at_us)
			course_step(q, &c);
		p->usable[node] = !c.exclusive && !(q->idle && c.tasks);
		memcpy(p->room + node * s->dims, c.room, s->dims * sizeof(*p->room));
	}
}

static bool sooner(const struct sched *s, const struct plan *p, uint32_t a, uint32_t b)
{
	const int64_t *x = p->room + a * s->dims, *y = p->room + b * s->dims;

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (x[r] != y[r])
			return x[r] < y[r];
	}
	return s->nodes[a].order < s->nodes[b].order;
}

static void plan_sink(const struct sched *s, struct plan *p, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < p->count; at = child) {
		uint32_t t = p->heap[at];

		child += child + 1 < p->count && sooner(s, p, p->heap[child + 1], p->heap[child]);
		if (!sooner(s, p, p->heap[child], t))
			return;
		p->heap[at] = p->heap[child];
		p->heap[child] = t;
	}
}

/* Nodes for so many members of the part, least room first; for how many there are. */
static uint64_t plan_part(const struct forecast *q, uint32_t value, uint32_t part, uint64_t want,
			  struct plan *p)
{
	struct sched *s = q->s;
	const int64_t *request = key_request(s, part);
	uint64_t found = 0;

	p->count = 0;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (p->usable[i] && !((q->distinct || q->idle) && p->uses[i]) &&
		    room_holds(s, p->room + i * s->dims, part, 1) && value_at(q, part, i) == value)
			p->heap[p->count++] = i;
	for (size_t i = p->count / 2; i-- > 0;)
		plan_sink(s, p, i);
	while (p->count && found < want) {
		uint32_t node = p->heap[0];
		int64_t *room = p->room + node * s->dims;
		uint64_t n = room_holds(s, room, part, q->distinct || q->idle ? 1 : want - found);

		for (size_t d = 0; d < s->dims; d++)
			room[d] -= (int64_t)n * request[d];
		p->uses[node] += (uint32_t)n;
		found += n;
		p->heap[0] = p->heap[--p->count];
		plan_sink(s, p, 0);
	}
	return found;
}

uint64_t plan_needs(const struct sched *s, uint32_t key)
{
	const struct key *k = &s->keys[key];

	return s->partial_gangs && k->min_members ? k->min_members : k->members;
}

bool plan_all(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p)
{
	struct sched *s = q->s;
	uint64_t left = plan_needs(s, q->key);
	uint32_t n;
	const uint32_t *parts = key_parts(s, &q->key, &n);

	plan_begin(q, value, at_us, p);
	for (uint32_t i = 0; i < n && left; i++) {
		uint64_t want = s->keys[parts[i]].members;

		left -= plan_part(q, value, parts[i], want < left ? want : left, p);
	}
	return !left;
}

void plan_init(const struct forecast *q, struct plan *p)
{
	size_t n = q->s->node_count + 1;

	*p = (struct plan){.room = arena_alloc(q->arena, n * q->s->dims * sizeof(*p->room)),
			   .uses = arena_alloc(q->arena, n * sizeof(*p->uses)),
			   .usable = arena_alloc(q->arena, n),
			   .heap = arena_alloc(q->arena, n * sizeof(*p->heap))};
}
