/*
 * The index of nodes by free room: a sorted array in chunks of at most 64 nodes (node_index.h).
 *
 * The order is best fit: least free first, resource by resource in the sequence of the select
 * plugin, then in the order of declaration. So the first node of the order that fits is the node to
 * take, and a search is a walk that starts at the first chunk which may have enough of the first
 * resource (found by bisection) and ends at the first hit.
 *
 * For the walk each chunk has two summaries: the maximum of each resource over its nodes, and a bit
 * set of their node classes (bit class % 63; bit 63: an idle node is in it). A chunk whose
 * summaries rule out the request is skipped at the cost of one comparison. The summaries are upper
 * bounds: an insert raises them, a removal leaves them as they are. So a search may
 * visit a chunk without a node that fits, but it never misses a node that fits. After such a visit
 * the summaries are computed exactly (tighten).
 *
 * Caveat: a node must be removed before its free room changes and inserted afterwards; otherwise
 * the array is not sorted any more.
 */
#include "sched/model/node_index.h"
#include "sched/model/model.h"
#include "util/bisect.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

static_assert((int)INDEX_RESOURCES == (int)SCHED_RESOURCES,
	      "a chunk has a bound for each resource");

struct node_index_chunk {
	uint64_t kinds;
	int64_t most[INDEX_RESOURCES];
	uint32_t count;
	bool exact; /* kinds and most are exact */
	uint32_t nodes[INDEX_CHUNK];
};

void node_index_done(struct node_index *x)
{
	for (size_t i = 0; i < x->count; i++)
		free(x->chunks[i]);
	free(x->chunks);
	*x = (struct node_index){0};
}

static int compare(const struct model *m, uint32_t a, uint32_t b)
{
	uint32_t x = m->nodes.list[a].order, y = m->nodes.list[b].order;
	int c = amounts_compare(m->policies.sequence, m->dims, nodes_free(m, a), nodes_free(m, b));

	return c ? c : (x > y) - (x < y);
}

static uint64_t kind_bits(const struct model *m, uint32_t node)
{
	const struct node *n = &m->nodes.list[node];

	return UINT64_C(1) << (n->kind % 63) | (n->tenants.tasks ? 0 : INDEX_IDLE);
}

static void include(const struct model *m, struct node_index_chunk *c, uint32_t node)
{
	const int64_t *f = nodes_free(m, node);

	c->kinds |= kind_bits(m, node);
	for (size_t r = 0; r < m->dims; r++)
		if (f[r] > c->most[r])
			c->most[r] = f[r];
}

static void tighten(const struct model *m, struct node_index_chunk *c)
{
	if (c->exact)
		return;
	c->kinds = 0;
	for (size_t r = 0; r < m->dims; r++)
		c->most[r] = INT64_MIN;
	for (uint32_t i = 0; i < c->count; i++)
		include(m, c, c->nodes[i]);
	c->exact = true;
}

/* The chunk of the node: the last one that does not begin after it. */
static size_t chunk_of(const struct model *m, const struct node_index *x, uint32_t node)
{
	return BISECT(1, x->count, i, compare(m, x->chunks[i]->nodes[0], node) <= 0) - 1;
}

/* The first entry that is not before the node. */
static uint32_t entry_of(const struct model *m, const struct node_index_chunk *c, uint32_t node)
{
	return BISECT(0, c->count, i, compare(m, c->nodes[i], node) < 0);
}

static struct node_index_chunk *add_chunk(struct node_index *x, size_t at)
{
	struct node_index_chunk *c = xcalloc(1, sizeof(*c));

	GROW(x->chunks, x->cap, x->count + 1);
	memmove(x->chunks + at + 1, x->chunks + at, (x->count - at) * sizeof(*x->chunks));
	x->chunks[at] = c;
	x->count++;
	return c;
}

static void split(struct model *m, struct node_index *x, size_t at)
{
	struct node_index_chunk *c = x->chunks[at], *d = add_chunk(x, at + 1);
	uint32_t keep = c->count / 2;

	d->count = c->count - keep;
	memcpy(d->nodes, c->nodes + keep, d->count * sizeof(d->nodes[0]));
	c->count = keep;
	c->exact = d->exact = false;
	tighten(m, c);
	tighten(m, d);
}

void node_index_insert(struct model *m, struct node_index *x, uint32_t node)
{
	struct node_index_chunk *c;
	size_t at;
	uint32_t i;

	if (!x->count) {
		c = add_chunk(x, 0);
		tighten(m, c);
	}
	at = chunk_of(m, x, node);
	if (x->chunks[at]->count == INDEX_CHUNK) {
		split(m, x, at);
		at = chunk_of(m, x, node);
	}
	c = x->chunks[at];
	i = entry_of(m, c, node);
	memmove(c->nodes + i + 1, c->nodes + i, (c->count - i) * sizeof(c->nodes[0]));
	c->nodes[i] = node;
	c->count++;
	include(m, c, node);
	x->nodes++;
}

void node_index_remove(struct model *m, struct node_index *x, uint32_t node)
{
	size_t at = chunk_of(m, x, node);
	struct node_index_chunk *c = x->chunks[at];
	uint32_t i = entry_of(m, c, node);

	assert(i < c->count && c->nodes[i] == node);
	c->count--;
	memmove(c->nodes + i, c->nodes + i + 1, (c->count - i) * sizeof(c->nodes[0]));
	c->exact = false;
	x->nodes--;
	if (c->count)
		return;
	free(c);
	x->count--;
	memmove(x->chunks + at, x->chunks + at + 1, (x->count - at) * sizeof(*x->chunks));
}

/* The first chunk that may hold a node with enough of the first resource of the sequence. */
static size_t begin(const struct model *m, const struct node_index *x, const int64_t *request)
{
	uint32_t r = m->policies.sequence[0];
	return BISECT(1, x->count, i, nodes_free(m, x->chunks[i]->nodes[0])[r] < request[r]) - 1;
}

static bool kind_fits(const struct model *m, const struct node_index_ask *ask, uint32_t node)
{
	const struct node *n = &m->nodes.list[node];

	if (ask->shape && !tenants_admit(&n->tenants, ask->shape))
		return false;
	return node_class_bits_have(ask->kinds, ask->kind_set, n->kind);
}

static bool chunk_may(const struct model *m, const struct node_index_chunk *c,
		      const struct node_index_ask *ask)
{
	bool idle = ask->shape && ask->shape->exclusive;

	if (!(c->kinds & ask->kinds) || (idle && !(c->kinds & INDEX_IDLE)))
		return false;
	return amounts_cover(c->most, ask->request, m->dims);
}

uint32_t node_index_next(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			 struct node_index_cursor *cursor)
{
	if (!cursor->begun)
		*cursor = (struct node_index_cursor){.begun = true,
						     .chunk = begin(m, x, ask->request)};
	for (; cursor->chunk < x->count; cursor->chunk++, cursor->entry = 0) {
		struct node_index_chunk *c = x->chunks[cursor->chunk];

		m->work.chunks++;
		if (!chunk_may(m, c, ask))
			continue;
		while (cursor->entry < c->count) {
			uint32_t node = c->nodes[cursor->entry++];

			m->work.probes++;
			if (amounts_cover(nodes_free(m, node), ask->request, m->dims) &&
			    kind_fits(m, ask, node))
				return node;
		}
		tighten(m, c);
	}
	return NIL;
}

uint32_t node_index_best(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			 size_t resource)
{
	uint32_t best = NIL;

	for (size_t i = 0; i < x->count; i++) {
		struct node_index_chunk *c = x->chunks[i];

		m->work.chunks++;
		if (!(c->kinds & ask->kinds) ||
		    (best != NIL && c->most[resource] <= nodes_free(m, best)[resource]))
			continue;
		for (uint32_t j = 0; j < c->count; j++) {
			uint32_t node = c->nodes[j];

			if (kind_fits(m, ask, node) &&
			    (best == NIL ||
			     nodes_free(m, node)[resource] > nodes_free(m, best)[resource]))
				best = node;
		}
		tighten(m, c);
	}
	return best;
}

/* The sum, over the resources, of the missing fractions of the request. */
static double lack_of(const struct model *m, const int64_t *have, const int64_t *request)
{
	double sum = 0;

	for (size_t r = 0; r < m->dims; r++)
		if (have[r] < request[r])
			sum += ((double)request[r] - (double)have[r]) /
			       (double)(request[r] ? request[r] : 1);
	return sum;
}

void node_index_nearer(const struct model *m, struct node_nearest *best, uint32_t node,
		       const int64_t *request)
{
	double lack = lack_of(m, nodes_free(m, node), request);

	if (best->node != NIL &&
	    (lack > best->lack ||
	     (!(lack < best->lack) && m->nodes.list[node].order > m->nodes.list[best->node].order)))
		return;
	*best = (struct node_nearest){node, lack};
}

uint32_t node_index_nearest(struct model *m, struct node_index *x, const struct node_index_ask *ask,
			    uint64_t *ret_work)
{
	struct node_nearest best = {.node = NIL};

	*ret_work += x->count;
	for (size_t i = 0; i < x->count; i++) {
		struct node_index_chunk *c = x->chunks[i];

		m->work.chunks++;
		if (!(c->kinds & ask->kinds) ||
		    (best.node != NIL && lack_of(m, c->most, ask->request) > best.lack))
			continue;
		*ret_work += c->count;
		for (uint32_t j = 0; j < c->count; j++)
			if (kind_fits(m, ask, c->nodes[j]))
				node_index_nearer(m, &best, c->nodes[j], ask->request);
		tighten(m, c);
	}
	return best.node;
}
