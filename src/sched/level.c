#include "sched/block.h"
#include "util/mem.h"

#include <string.h>

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
	blocks_forget(s);
}

void levels_room(struct sched *s, uint32_t node)
{
	size_t row = (size_t)s->level_count * s->dims;

	if (!s->level_count)
		return;
	GROW(s->levels, s->levels_cap, (node + (size_t)1) * row);
	memset(s->levels + node * row, 0, row * sizeof(*s->levels));
	blocks_room(s, node);
}

void level_use(struct sched *s, uint32_t node, uint32_t part, uint32_t cutoff, int sign)
{
	const int64_t *request = key_request(s, part);

	for (uint32_t l = 1; l <= cutoff; l++) {
		int64_t *have = node_level(s, node, l);

		for (size_t r = 0; r < s->dims; r++)
			have[r] -= sign * request[r];
		if (sign < 0)
			block_raise(s, node, l);
		else
			block_loosen(s, node, l);
	}
}

void levels_grow(struct sched *s, uint32_t node, size_t resource, int64_t by)
{
	for (uint32_t l = 1; l <= s->level_count; l++) {
		node_level(s, node, l)[resource] += by;
		block_loosen(s, node, l);
		block_raise(s, node, l);
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

void levels_keep(struct sched *s)
{
	size_t levels = s->node_count * s->level_count * s->dims, bounds = blocks_size(s);

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
	memcpy(s->bounds, s->kept_bounds, blocks_size(s) * sizeof(*s->bounds));
	blocks_loosen(s);
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
			block_loosen(s, node, l);
			block_raise(s, node, l);
		}
	}
	s->levels_saved_count = 0;
}
