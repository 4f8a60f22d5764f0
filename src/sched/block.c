#include "sched/ends.h"
#include "sched/block.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * Room at a level is searched for in blocks of a few nodes: of each block the most of any resource
 * is known, as an upper bound that is made exact when a search was misled by it. Nodes stand in
 * blocks as they came, until searches were misled too often: then those that are alike at the level
 * that was searched are put together. Any order is right; a good one saves looking at nodes.
 */

enum {
	MISLED = 16, /* times all nodes looked at in vain, before they are put in order */
	KINDS = 16,  /* of node, up to which they are kept apart */
};

static size_t block_of(const struct sched *s, uint32_t node, uint32_t level)
{
	return (size_t)(s->slots[node] / LEVEL_BLOCK) * s->level_count + level - 1;
}

size_t blocks_size(const struct sched *s)
{
	return (s->node_count + LEVEL_BLOCK - 1) / LEVEL_BLOCK * s->level_count * s->dims;
}

void block_raise(struct sched *s, uint32_t node, uint32_t level)
{
	const int64_t *have = node_level(s, node, level);
	int64_t *bound = s->bounds + block_of(s, node, level) * s->dims;

	for (size_t r = 0; r < s->dims; r++)
		if (have[r] > bound[r])
			bound[r] = have[r];
}

void block_loosen(struct sched *s, uint32_t node, uint32_t level)
{
	s->exact[block_of(s, node, level)] = false;
}

void blocks_loosen(struct sched *s)
{
	if (s->exact)
		memset(s->exact, 0, s->exact_cap * sizeof(*s->exact));
}

void blocks_forget(struct sched *s)
{
	for (size_t i = 0; i < s->bounds_cap; i++)
		s->bounds[i] = INT64_MIN;
	blocks_loosen(s);
}

/* A new node stands last; one that takes the place of another where that one stood. */
void blocks_room(struct sched *s, uint32_t node)
{
	size_t had = s->bounds_cap, blocks = node / LEVEL_BLOCK + 1, slots = s->slots_cap;

	GROW(s->bounds, s->bounds_cap, blocks * s->level_count * s->dims);
	for (size_t i = had; i < s->bounds_cap; i++)
		s->bounds[i] = INT64_MIN;
	had = s->exact_cap;
	GROW(s->exact, s->exact_cap, blocks * s->level_count);
	memset(s->exact + had, 0, (s->exact_cap - had) * sizeof(*s->exact));
	GROW(s->slots, s->slots_cap, node + (size_t)1);
	GROW(s->slot_nodes, s->slot_nodes_cap, s->slots_cap);
	for (size_t i = slots; i < s->slots_cap; i++)
		s->slots[i] = s->slot_nodes[i] = (uint32_t)i;
}

static bool covers(const int64_t *have, const int64_t *want, size_t dims)
{
	for (size_t r = 0; r < dims; r++)
		if (have[r] < want[r])
			return false;
	return true;
}

/* Least room first, in the sequence of the select plugin. */
static int compare_rows(const struct sched *s, uint32_t level, uint32_t a, uint32_t b)
{
	const int64_t *x = node_level(s, a, level), *y = node_level(s, b, level);

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (x[r] != y[r])
			return x[r] < y[r] ? -1 : 1;
	}
	return 0;
}

static int compare_slots(const void *a, const void *b, void *arg)
{
	const struct sched *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t i = s->nodes[x].kind, k = s->nodes[y].kind;

	if (i != k && s->kind_count <= KINDS)
		return i < k ? -1 : 1;
	return compare_rows(s, s->misled_level, x, y);
}

void blocks_sort(struct sched *s)
{
	if (!s->node_count || s->misled < MISLED * s->node_count ||
	    s->moves - s->blocks_sorted < s->node_count / 8)
		return;
	qsort_r(s->slot_nodes, s->node_count, sizeof(*s->slot_nodes), compare_slots, s);
	for (uint32_t i = 0; i < s->node_count; i++)
		s->slots[s->slot_nodes[i]] = i;
	blocks_forget(s);
	for (uint32_t i = 0; i < s->node_count; i++)
		for (uint32_t l = 1; l <= s->level_count; l++)
			block_raise(s, i, l);
	s->misled = 0;
	s->blocks_sorted = s->moves;
}

static void tighten(struct sched *s, uint32_t from, uint32_t end, uint32_t level)
{
	size_t block = block_of(s, s->slot_nodes[from], level);

	if (s->exact[block])
		return;
	for (size_t r = 0; r < s->dims; r++)
		s->bounds[block * s->dims + r] = INT64_MIN;
	for (uint32_t i = from; i < end; i++)
		if (s->nodes[s->slot_nodes[i]].present)
			block_raise(s, s->slot_nodes[i], level);
	s->exact[block] = true;
}

/* What is looked for, and the best found so far. */
struct search {
	const struct index_ask *ask;
	struct constraint *constraint;
	uint32_t level, part, mark, best;
	bool any; /* the first will do */
};

static bool may_use(struct sched *s, const struct search *q, uint32_t node)
{
	const struct kinds_taken kinds = {.bits = q->ask->kinds,
					  .set = (uint64_t *)q->ask->kind_set};
	const struct node *n = &s->nodes[node];

	return n->schedulable && !n->exclusive && !n->over && n->mark != q->mark &&
	       kinds_take(&kinds, n->kind) && constraint_lists(s, q->constraint, node) &&
	       !reserve_refuses(s, node, q->part);
}

static bool is_better(const struct sched *s, const struct search *q, uint32_t node)
{
	int c = q->best == NIL ? -1 : compare_rows(s, q->level, node, q->best);

	return c ? c < 0 : s->nodes[node].order < s->nodes[q->best].order;
}

static void search_block(struct sched *s, struct search *q, uint32_t from)
{
	uint32_t end =
		from + LEVEL_BLOCK < s->node_count ? from + LEVEL_BLOCK : (uint32_t)s->node_count;
	bool covered = false;

	s->work.probes += end - from;
	for (uint32_t i = from; i < end && !(q->any && q->best != NIL); i++) {
		uint32_t node = s->slot_nodes[i];

		if (!covers(node_level(s, node, q->level), q->ask->request, s->dims) ||
		    !s->nodes[node].present)
			continue;
		covered = true;
		if (may_use(s, q, node) && is_better(s, q, node))
			q->best = node;
	}
	if (covered)
		return;
	tighten(s, from, end, q->level);
	s->misled += end - from;
	s->misled_level = q->level;
}

static uint32_t search(struct sched *s, struct search *q)
{
	size_t step = s->level_count * s->dims;
	const int64_t *bound = s->bounds + (q->level - 1) * s->dims;

	q->constraint = s->keys[q->part].constraint;
	q->best = NIL;
	for (uint32_t i = 0; i < s->node_count; i += LEVEL_BLOCK, bound += step) {
		s->work.chunks++;
		if (covers(bound, q->ask->request, s->dims))
			search_block(s, q, i);
		if (q->any && q->best != NIL)
			break;
	}
	return q->best;
}

uint32_t level_find(struct sched *s, uint32_t level, const struct index_ask *ask, uint32_t part,
		    uint32_t mark)
{
	struct search q = {.ask = ask, .level = level, .part = part, .mark = mark};

	return search(s, &q);
}

bool level_any(struct sched *s, uint32_t level, const struct index_ask *ask, uint32_t part,
	       uint32_t mark)
{
	struct search q = {.ask = ask, .level = level, .part = part, .mark = mark, .any = true};

	return search(s, &q) != NIL;
}
