/*
 * The nodes of a gang at a given time: each member on the node with the least room that suffices,
 * in the sequence of the select plugin.
 *
 * Input: the forecast, a value of the uniformity label and a time. Output: for each node how many
 * members it gets and what it has left. The model does not change.
 */
#include "sched/backfill/plan.h"
#include "sched/backfill/node_timeline.h"
#include "util/heap.h"

#include <string.h>

/* May a member of the gang run on this node, if the node has the value? */
static bool candidate(const struct forecast *q, uint32_t value, uint32_t node)
{
	uint32_t n;
	const uint32_t *parts = job_shape_parts(q->m, &q->shape, &n);

	for (uint32_t i = 0; i < n; i++)
		if (node_timeline_value(q, parts[i], node) == value &&
		    amounts_cover(nodes_total(q->m, node), job_shape_request(q->m, parts[i]),
				  q->m->dims))
			return true;
	return false;
}

static void plan_begin(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p)
{
	struct model *m = q->m;

	memset(p->uses, 0, m->nodes.count * sizeof(*p->uses));
	memset(p->need, 0, m->nodes.count * m->dims * sizeof(*p->need));
	for (uint32_t node = 0; node < m->nodes.count; node++) {
		struct node_timeline c;
		int64_t next;

		p->usable[node] = candidate(q, value, node);
		if (!p->usable[node])
			continue;
		node_timeline_begin(q, node, &c);
		while (node_timeline_peek(&c, &next) && next <= at_us)
			node_timeline_step(q, &c);
		p->usable[node] = tenants_admit(&c.tenants, &m->shapes.list[q->shape]);
		memcpy(p->room + node * m->dims, c.room, m->dims * sizeof(*p->room));
	}
}

static bool sooner(const struct model *m, const struct plan *p, uint32_t a, uint32_t b)
{
	int c = amounts_compare(m->policies.sequence, m->dims, p->room + a * m->dims,
				p->room + b * m->dims);

	return c ? c < 0 : m->nodes.list[a].order < m->nodes.list[b].order;
}

static void plan_sink(const struct model *m, struct plan *p, size_t at)
{
	HEAP_SINK(p->heap, p->count, at, sooner(m, p, *x, *y));
}

/* Nodes for up to `want` members of the part, least room first; returns how many. */
static uint64_t plan_part(const struct forecast *q, uint32_t value, uint32_t part, uint64_t want,
			  struct plan *p)
{
	struct model *m = q->m;
	const int64_t *request = job_shape_request(m, part);
	uint64_t found = 0;

	p->count = 0;
	for (uint32_t i = 0; i < m->nodes.count; i++)
		if (p->usable[i] && !((q->distinct || q->idle) && p->uses[i]) &&
		    amounts_cover(p->room + i * m->dims, request, m->dims) &&
		    node_timeline_value(q, part, i) == value)
			p->heap[p->count++] = i;
	for (size_t i = p->count / 2; i-- > 0;)
		plan_sink(m, p, i);
	while (p->count && found < want) {
		uint32_t node = p->heap[0];
		int64_t *room = p->room + node * m->dims;
		uint64_t n = amounts_hold(room, request, m->dims,
					  q->distinct || q->idle ? 1 : want - found);

		for (size_t d = 0; d < m->dims; d++) {
			room[d] -= (int64_t)n * request[d];
			p->need[node * m->dims + d] += (int64_t)n * request[d];
		}
		p->uses[node] += (uint32_t)n;
		found += n;
		p->heap[0] = p->heap[--p->count];
		plan_sink(m, p, 0);
	}
	return found;
}

uint64_t plan_needs(const struct model *m, uint32_t shape)
{
	const struct job_shape *k = &m->shapes.list[shape];

	return m->partial_gangs && k->min_members ? k->min_members : k->members;
}

uint64_t plan_part_needs(const struct model *m, uint32_t shape, uint32_t part)
{
	uint32_t least = m->partial_gangs ? job_shape_part_least(m, shape, part) : 0;

	return least ? least : m->shapes.list[part].members;
}

bool plan_all(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p)
{
	struct model *m = q->m;
	uint64_t left = plan_needs(m, q->shape);
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &q->shape, &n);

	plan_begin(q, value, at_us, p);
	for (uint32_t i = 0; i < n && left; i++) {
		uint64_t want = plan_part_needs(m, q->shape, parts[i]);

		left -= plan_part(q, value, parts[i], want < left ? want : left, p);
	}
	return !left;
}

void plan_init(const struct forecast *q, struct plan *p)
{
	size_t n = q->m->nodes.count + 1;

	*p = (struct plan){.room = arena_alloc(q->arena, n * q->m->dims * sizeof(*p->room)),
			   .need = arena_alloc(q->arena, n * q->m->dims * sizeof(*p->need)),
			   .uses = arena_alloc(q->arena, n * sizeof(*p->uses)),
			   .usable = arena_alloc(q->arena, n),
			   .heap = arena_alloc(q->arena, n * sizeof(*p->heap))};
}
