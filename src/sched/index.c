#include "sched/index.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

static_assert((int)INDEX_RESOURCES == (int)SCHED_RESOURCES,
	      "a chunk has a bound for each resource");

struct index_chunk {
	uint64_t kinds;
	int64_t most[INDEX_RESOURCES];
	uint32_t count;
	bool exact; /* kinds and most */
	uint32_t nodes[INDEX_CHUNK];
};

void index_done(struct index *x)
{
	for (size_t i = 0; i < x->count; i++)
		free(x->chunks[i]);
	free(x->chunks);
	*x = (struct index){0};
}

static int compare(const struct sched *s, uint32_t a, uint32_t b)
{
	const int64_t *x = node_free(s, a), *y = node_free(s, b);

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (x[r] != y[r])
			return x[r] < y[r] ? -1 : 1;
	}
	return (s->nodes[a].order > s->nodes[b].order) - (s->nodes[a].order < s->nodes[b].order);
}

static uint64_t kind_bits(const struct sched *s, uint32_t node)
{
	const struct node *n = &s->nodes[node];

	return UINT64_C(1) << (n->kind % 63) | (n->tasks ? 0 : INDEX_IDLE);
}

static void include(const struct sched *s, struct index_chunk *c, uint32_t node)
{
	const int64_t *f = node_free(s, node);

	c->kinds |= kind_bits(s, node);
	for (size_t r = 0; r < s->dims; r++)
		if (f[r] > c->most[r])
			c->most[r] = f[r];
}

static void tighten(const struct sched *s, struct index_chunk *c)
{
	if (c->exact)
		return;
	c->kinds = 0;
	for (size_t r = 0; r < s->dims; r++)
		c->most[r] = INT64_MIN;
	for (uint32_t i = 0; i < c->count; i++)
		include(s, c, c->nodes[i]);
	c->exact = true;
}

/* The chunk where the node is or belongs: the last that does not begin after it. */
static size_t chunk_of(const struct sched *s, const struct index *x, uint32_t node)
{
	size_t lo = 0, hi = x->count;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare(s, x->chunks[mid]->nodes[0], node) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The first entry that is not before the node. */
static uint32_t entry_of(const struct sched *s, const struct index_chunk *c, uint32_t node)
{
	uint32_t lo = 0, hi = c->count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare(s, c->nodes[mid], node) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct index_chunk *add_chunk(struct index *x, size_t at)
{
	struct index_chunk *c = xcalloc(1, sizeof(*c));

	GROW(x->chunks, x->cap, x->count + 1);
	memmove(x->chunks + at + 1, x->chunks + at, (x->count - at) * sizeof(*x->chunks));
	x->chunks[at] = c;
	x->count++;
	return c;
}

static void split(struct sched *s, struct index *x, size_t at)
{
	struct index_chunk *c = x->chunks[at], *d = add_chunk(x, at + 1);
	uint32_t keep = c->count / 2;

	d->count = c->count - keep;
	memcpy(d->nodes, c->nodes + keep, d->count * sizeof(d->nodes[0]));
	c->count = keep;
	c->exact = d->exact = false;
	tighten(s, c);
	tighten(s, d);
}

void index_insert(struct sched *s, struct index *x, uint32_t node)
{
	struct index_chunk *c;
	size_t at;
	uint32_t i;

	if (!x->count) {
		c = add_chunk(x, 0);
		tighten(s, c);
	}
	at = chunk_of(s, x, node);
	if (x->chunks[at]->count == INDEX_CHUNK) {
		split(s, x, at);
		at = chunk_of(s, x, node);
	}
	c = x->chunks[at];
	i = entry_of(s, c, node);
	memmove(c->nodes + i + 1, c->nodes + i, (c->count - i) * sizeof(c->nodes[0]));
	c->nodes[i] = node;
	c->count++;
	include(s, c, node);
	x->nodes++;
}

void index_remove(struct sched *s, struct index *x, uint32_t node)
{
	size_t at = chunk_of(s, x, node);
	struct index_chunk *c = x->chunks[at];
	uint32_t i = entry_of(s, c, node);

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

/* Before the first chunk that may hold a node with enough of the first resource of the sequence. */
static size_t begin(const struct sched *s, const struct index *x, const int64_t *request)
{
	uint32_t r = s->sequence[0];
	size_t lo = 0, hi = x->count;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (node_free(s, x->chunks[mid]->nodes[0])[r] < request[r])
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static bool covers(const int64_t *have, const int64_t *want, size_t dims)
{
	for (size_t r = 0; r < dims; r++)
		if (have[r] < want[r])
			return false;
	return true;
}

static bool kind_fits(const struct sched *s, const struct index_ask *ask, uint32_t node)
{
	uint32_t kind = s->nodes[node].kind;

	if (ask->idle && s->nodes[node].tasks)
		return false;
	if (ask->kind_set)
		return ask->kind_set[kind / 64] >> (kind % 64) & 1;
	return ask->kinds >> (kind % 63) & 1;
}

static bool chunk_may(const struct sched *s, const struct index_chunk *c,
		      const struct index_ask *ask)
{
	if (!(c->kinds & ask->kinds) || (ask->idle && !(c->kinds & INDEX_IDLE)))
		return false;
	return covers(c->most, ask->request, s->dims);
}

uint32_t index_next(struct sched *s, struct index *x, const struct index_ask *ask,
		    struct index_cursor *cursor)
{
	if (!cursor->begun)
		*cursor = (struct index_cursor){.begun = true, .chunk = begin(s, x, ask->request)};
	for (; cursor->chunk < x->count; cursor->chunk++, cursor->entry = 0) {
		struct index_chunk *c = x->chunks[cursor->chunk];

		s->work.chunks++;
		if (!chunk_may(s, c, ask))
			continue;
		while (cursor->entry < c->count) {
			uint32_t node = c->nodes[cursor->entry++];

			s->work.probes++;
			if (covers(node_free(s, node), ask->request, s->dims) &&
			    kind_fits(s, ask, node))
				return node;
		}
		tighten(s, c);
	}
	return NIL;
}

uint32_t index_best(struct sched *s, struct index *x, const struct index_ask *ask, size_t resource)
{
	uint32_t best = NIL;

	for (size_t i = 0; i < x->count; i++) {
		struct index_chunk *c = x->chunks[i];

		s->work.chunks++;
		if (!(c->kinds & ask->kinds) ||
		    (best != NIL && c->most[resource] <= node_free(s, best)[resource]))
			continue;
		for (uint32_t j = 0; j < c->count; j++) {
			uint32_t node = c->nodes[j];

			if (kind_fits(s, ask, node) &&
			    (best == NIL ||
			     node_free(s, node)[resource] > node_free(s, best)[resource]))
				best = node;
		}
		tighten(s, c);
	}
	return best;
}

double index_lack(const struct sched *s, const int64_t *have, const int64_t *request)
{
	double sum = 0;

	for (size_t r = 0; r < s->dims; r++)
		if (have[r] < request[r])
			sum += ((double)request[r] - (double)have[r]) /
			       (double)(request[r] ? request[r] : 1);
	return sum;
}

uint32_t index_nearest(struct sched *s, struct index *x, const struct index_ask *ask,
		       uint64_t *ret_work)
{
	uint32_t best = NIL;
	double least = 0;

	*ret_work += x->count;
	for (size_t i = 0; i < x->count; i++) {
		struct index_chunk *c = x->chunks[i];

		s->work.chunks++;
		if (!(c->kinds & ask->kinds) ||
		    (best != NIL && index_lack(s, c->most, ask->request) > least))
			continue;
		*ret_work += c->count;
		for (uint32_t j = 0; j < c->count; j++) {
			uint32_t node = c->nodes[j];
			double lack;

			if (!kind_fits(s, ask, node))
				continue;
			lack = index_lack(s, node_free(s, node), ask->request);
			if (best != NIL &&
			    (lack > least ||
			     (!(lack < least) && s->nodes[node].order > s->nodes[best].order)))
				continue;
			best = node;
			least = lack;
		}
		tighten(s, c);
	}
	return best;
}
