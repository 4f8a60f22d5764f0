#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

static int64_t *block_bound(const struct sched *s, uint32_t node, uint32_t level)
{
	return s->bounds + ((size_t)(node / LEVEL_BLOCK) * s->level_count + level - 1) * s->dims;
}

/* Is the block's bound what one of its nodes has, for each resource? */
static bool *block_exact(const struct sched *s, uint32_t node, uint32_t level)
{
	return s->exact + (size_t)(node / LEVEL_BLOCK) * s->level_count + level - 1;
}

/* Distinct class priorities, least urgent first, are levels 1, 2... */
void levels_init(struct sched *s)
{
	s->class_level = xcalloc(s->class_count, sizeof(*s->class_level));
	s->preempt_tokens = s->preempt_traits.burst;
	if (!s->preempt_traits.fair_share && !s->preempt_traits.urgency)
		return;
	for (size_t i = 0; i < s->class_count; i++) {
		s->class_level[i] = 1;
		for (size_t k = 0; k < s->class_count; k++) {
			bool less = s->classes[k].priority < s->classes[i].priority;

			for (size_t m = 0; m < k && less; m++)
				less = s->classes[m].priority != s->classes[k].priority;
			s->class_level[i] += less;
		}
		if (s->class_level[i] > s->level_count)
			s->level_count = s->class_level[i];
	}
}

void levels_forget(struct sched *s)
{
	free(s->class_level);
	s->class_level = NULL;
	s->level_count = 0;
	for (size_t i = 0; i < s->bounds_cap; i++)
		s->bounds[i] = INT64_MIN;
	memset(s->exact, 0, s->exact_cap * sizeof(*s->exact));
}

void levels_room(struct sched *s, uint32_t node)
{
	size_t row = (size_t)s->level_count * s->dims, blocks = node / LEVEL_BLOCK + 1, had;

	if (!s->level_count)
		return;
	GROW(s->levels, s->levels_cap, (node + (size_t)1) * row);
	memset(s->levels + node * row, 0, row * sizeof(*s->levels));
	had = s->bounds_cap;
	GROW(s->bounds, s->bounds_cap, blocks * row);
	for (size_t i = had; i < s->bounds_cap; i++)
		s->bounds[i] = INT64_MIN;
	had = s->exact_cap;
	GROW(s->exact, s->exact_cap, blocks * s->level_count);
	memset(s->exact + had, 0, (s->exact_cap - had) * sizeof(*s->exact));
}

/* The block may hold as much as this node now. */
static void raise(struct sched *s, uint32_t node, uint32_t level)
{
	const int64_t *have = node_level(s, node, level);
	int64_t *bound = block_bound(s, node, level);

	for (size_t r = 0; r < s->dims; r++)
		if (have[r] > bound[r])
			bound[r] = have[r];
}

void level_use(struct sched *s, uint32_t node, uint32_t part, uint32_t cutoff, int sign)
{
	const int64_t *request = key_request(s, part);

	for (uint32_t l = 1; l <= cutoff; l++) {
		int64_t *have = node_level(s, node, l);

		for (size_t r = 0; r < s->dims; r++)
			have[r] -= sign * request[r];
		if (sign < 0)
			raise(s, node, l);
		else
			*block_exact(s, node, l) = false;
	}
}

void levels_grow(struct sched *s, uint32_t node, size_t resource, int64_t by)
{
	for (uint32_t l = 1; l <= s->level_count; l++) {
		node_level(s, node, l)[resource] += by;
		*block_exact(s, node, l) = false;
		raise(s, node, l);
	}
}

void level_save(struct sched *s, uint32_t node)
{
	size_t row = (size_t)s->level_count * s->dims;
	struct node *n = &s->nodes[node];

	if (!row || s->levels_kept || n->levels_saved != NIL)
		return;
	GROW(s->levels_saved, s->levels_saved_cap, s->levels_saved_count + 1);
	GROW(s->levels_rows, s->levels_rows_cap, (s->levels_saved_count + 1) * row);
	memcpy(s->levels_rows + s->levels_saved_count * row, node_level(s, node, 1),
	       row * sizeof(int64_t));
	n->levels_saved = (uint32_t)s->levels_saved_count;
	s->levels_saved[s->levels_saved_count++] = node;
}

static size_t bounds_size(const struct sched *s)
{
	return (s->node_count + LEVEL_BLOCK - 1) / LEVEL_BLOCK * s->level_count * s->dims;
}

void levels_keep(struct sched *s)
{
	size_t levels = s->node_count * s->level_count * s->dims, bounds = bounds_size(s);

	if (s->levels_kept || s->levels_saved_count)
		return;
	GROW(s->kept_levels, s->kept_levels_cap, levels);
	GROW(s->kept_bounds, s->kept_bounds_cap, bounds);
	memcpy(s->kept_levels, s->levels, levels * sizeof(*s->levels));
	memcpy(s->kept_bounds, s->bounds, bounds * sizeof(*s->bounds));
	s->levels_kept = true;
}

bool levels_any(const struct sched *s, bool (*is)(const struct sched *s, uint32_t node))
{
	size_t n = s->levels_kept ? s->node_count : s->levels_saved_count;

	for (size_t i = 0; i < n; i++)
		if (is(s, s->levels_kept ? (uint32_t)i : s->levels_saved[i]))
			return true;
	return false;
}

static void restore_all(struct sched *s)
{
	memcpy(s->levels, s->kept_levels,
	       s->node_count * s->level_count * s->dims * sizeof(*s->levels));
	memcpy(s->bounds, s->kept_bounds, bounds_size(s) * sizeof(*s->bounds));
	memset(s->exact, 0, s->exact_cap * sizeof(*s->exact));
	s->levels_kept = false;
}

void levels_restore(struct sched *s)
{
	size_t row = (size_t)s->level_count * s->dims;

	if (s->levels_kept)
		restore_all(s);
	for (size_t i = 0; i < s->levels_saved_count; i++) {
		uint32_t node = s->levels_saved[i];

		memcpy(node_level(s, node, 1), s->levels_rows + i * row, row * sizeof(int64_t));
		s->nodes[node].levels_saved = NIL;
		for (uint32_t l = 1; l <= s->level_count; l++) {
			*block_exact(s, node, l) = false;
			raise(s, node, l);
		}
	}
	s->levels_saved_count = 0;
}

static bool covers(const int64_t *have, const int64_t *want, size_t dims)
{
	for (size_t r = 0; r < dims; r++)
		if (have[r] < want[r])
			return false;
	return true;
}

static bool takes(const struct index_ask *ask, uint32_t kind)
{
	if (ask->kind_set)
		return ask->kind_set[kind / 64] >> (kind % 64) & 1;
	return ask->kinds >> (kind % 63) & 1;
}

static bool first(const struct sched *s, uint32_t level, uint32_t a, uint32_t b)
{
	const int64_t *x = node_level(s, a, level), *y = node_level(s, b, level);

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (x[r] != y[r])
			return x[r] < y[r];
	}
	return s->nodes[a].order < s->nodes[b].order;
}

static void tighten(struct sched *s, uint32_t block, uint32_t end, uint32_t level)
{
	int64_t *bound = block_bound(s, block, level);

	if (*block_exact(s, block, level))
		return;
	for (size_t r = 0; r < s->dims; r++)
		bound[r] = INT64_MIN;
	for (uint32_t i = block; i < end; i++)
		if (s->nodes[i].present)
			raise(s, i, level);
	*block_exact(s, block, level) = true;
}

/* What is looked for, and the best found so far. */
struct level_search {
	const struct index_ask *ask;
	struct constraint *constraint;
	uint32_t level, part, mark, best;
};

static bool may_use(struct sched *s, const struct level_search *q, uint32_t node)
{
	const struct node *n = &s->nodes[node];

	return n->schedulable && !n->exclusive && !n->over && n->mark != q->mark &&
	       takes(q->ask, n->kind) && constraint_lists(s, q->constraint, node) &&
	       !reserve_refuses(s, node, q->part);
}

static void search_block(struct sched *s, struct level_search *q, uint32_t block, bool any)
{
	uint32_t end =
		block + LEVEL_BLOCK < s->node_count ? block + LEVEL_BLOCK : (uint32_t)s->node_count;
	bool covered = false;

	s->work.probes += end - block;
	for (uint32_t i = block; i < end && !(any && q->best != NIL); i++) {
		if (!covers(node_level(s, i, q->level), q->ask->request, s->dims) ||
		    !s->nodes[i].present)
			continue;
		covered = true;
		if (may_use(s, q, i) && (q->best == NIL || first(s, q->level, i, q->best)))
			q->best = i;
	}
	if (!covered)
		tighten(s, block, end, q->level);
}

static uint32_t search(struct sched *s, struct level_search *q, bool any)
{
	q->constraint = s->keys[q->part].constraint;
	q->best = NIL;
	for (uint32_t block = 0; block < s->node_count; block += LEVEL_BLOCK) {
		s->work.chunks++;
		if (covers(block_bound(s, block, q->level), q->ask->request, s->dims))
			search_block(s, q, block, any);
		if (any && q->best != NIL)
			break;
	}
	return q->best;
}

uint32_t level_find(struct sched *s, uint32_t level, const struct index_ask *ask, uint32_t part,
		    uint32_t mark)
{
	struct level_search q = {.ask = ask, .level = level, .part = part, .mark = mark};

	return search(s, &q, false);
}

bool level_any(struct sched *s, uint32_t level, const struct index_ask *ask, uint32_t part,
	       uint32_t mark)
{
	struct level_search q = {.ask = ask, .level = level, .part = part, .mark = mark};

	return search(s, &q, true) != NIL;
}
