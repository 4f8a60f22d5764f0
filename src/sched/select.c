#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <math.h>
#include <string.h>

void select_begin(struct sched *s, struct arena *a, size_t rows)
{
	s->round_arena = a;
	s->bad_score = false;
	s->uses = s->select->score ? arena_zalloc(a, rows + 1, sizeof(*s->uses)) : NULL;
}

static void add(struct sched *s, int64_t *uses, uint32_t node, uint32_t part, int sign)
{
	const int64_t *request = key_request(s, part);

	for (size_t d = 0; d < s->dims; d++)
		uses[node * s->dims + d] += sign * request[d];
}

/* What runs now; the round adds to it. */
static int64_t *row_uses(struct sched *s, uint32_t row)
{
	int64_t *uses = s->uses[row];

	if (uses)
		return uses;
	uses = s->uses[row] =
		arena_zalloc(s->round_arena, s->node_count * s->dims + 1, sizeof(*uses));
	for (size_t i = 0; i < s->task_count; i++) {
		const struct task *t = &s->tasks[i];
		const uint32_t *nodes = t->many ? t->many : &t->one;

		for (uint32_t m = 0; m < t->count; m++) {
			const struct lane *l = &s->lanes[s->jobs[t->job].lane];

			if (nodes[m] != NIL && s->queues[l->queue].row == row)
				add(s, uses, nodes[m], key_part_of(s, l->key, m), 1);
		}
	}
	return uses;
}

void select_use(struct sched *s, uint32_t row, uint32_t node, uint32_t part, int sign)
{
	if (s->uses)
		add(s, row_uses(s, row), node, part, sign);
}

static size_t gather(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark)
{
	struct constraint *c = s->keys[part].constraint;
	struct index_cursor cursor = {0};
	size_t n = 0;
	uint32_t node;

	while ((node = index_next(s, &s->index, ask, &cursor)) != NIL) {
		if (s->nodes[node].mark == mark || !constraint_lists(s, c, node) ||
		    reserve_refuses(s, node, part))
			continue;
		GROW(s->shown, s->shown_cap, n + 1);
		s->shown[n++] = node;
	}
	return n;
}

uint32_t select_node(struct sched *s, uint32_t part, const struct index_ask *ask, uint32_t mark)
{
	size_t n = gather(s, part, ask, mark), best = 0, row = s->dims * sizeof(int64_t);
	int64_t *uses = row_uses(s, s->row_in_hand), *at;
	struct armada_select_nodes nodes = {.count = n};

	if (!n)
		return NIL;
	GROW(s->shown_rows, s->shown_rows_cap, 3 * n * s->dims);
	GROW(s->scores, s->scores_cap, n);
	at = s->shown_rows;
	nodes.free = at;
	nodes.total = at + n * s->dims;
	nodes.queue_used = at + 2 * n * s->dims;
	for (size_t i = 0; i < n; i++, at += s->dims) {
		memcpy(at, node_free(s, s->shown[i]), row);
		memcpy(at + n * s->dims, node_total(s, s->shown[i]), row);
		memcpy(at + 2 * n * s->dims, uses + s->shown[i] * s->dims, row);
	}
	s->select->score(s->select_handle, ask->request, &nodes, s->scores);
	for (size_t i = 0; i < n; i++) {
		s->bad_score = s->bad_score || !isfinite(s->scores[i]);
		if (s->scores[i] < s->scores[best])
			best = i;
	}
	return s->shown[best];
}
