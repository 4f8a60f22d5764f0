/*
 * The choice of a node by a select plugin that scores.
 *
 * Input: a part, the nodes on which it may run, and the current row. Output: the node with the best
 * score. The plugin gets every node with room, and how much of it the queue of the row uses.
 * Caveat: each member costs a visit of all nodes with room.
 */
#include "sched/round/node_select.h"
#include "sched/round/state.h"
#include "util/mem.h"

#include <math.h>
#include <string.h>

void node_select_begin(struct sched *s, struct arena *a, size_t rows)
{
	s->select.arena = a;
	s->select.bad_score = false;
	s->select.uses = s->model.policies.select->score
				 ? arena_zalloc(a, rows + 1, sizeof(*s->select.uses))
				 : NULL;
}

/* Filled from the running tasks at the first use; the round adds the members that it places. */
static int64_t *row_uses(struct sched *s, uint32_t row)
{
	struct model *m = &s->model;
	int64_t *uses = s->select.uses[row];

	if (uses)
		return uses;
	uses = s->select.uses[row] =
		arena_zalloc(s->select.arena, m->nodes.count * m->dims + 1, sizeof(*uses));
	for (size_t i = 0; i < m->tasks.count; i++) {
		const struct task *t = &m->tasks.list[i];
		const uint32_t *nodes = tasks_nodes(t);

		for (uint32_t member = 0; member < t->count; member++) {
			const struct subqueue *l =
				&m->subqueues.list[m->jobs.list[t->job].subqueue];

			if (nodes[member] != NIL && m->queues.list[l->queue].row == row)
				amounts_change(uses + nodes[member] * m->dims,
					       job_shape_request(m, job_shape_part_of(m, l->shape,
										      member)),
					       1, m->dims);
		}
	}
	return uses;
}

void node_select_use(struct sched *s, uint32_t row, uint32_t node, uint32_t part, int sign)
{
	struct model *m = &s->model;

	if (s->select.uses)
		amounts_change(row_uses(s, row) + node * m->dims, job_shape_request(m, part), sign,
			       m->dims);
}

uint32_t node_select_next(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark, struct node_index_cursor *cursor)
{
	struct model *m = &s->model;
	struct constraint *c = m->shapes.list[part].constraint;
	uint32_t node;

	do
		node = node_index_next(m, &m->nodes.index, ask, cursor);
	while (node != NIL && (m->nodes.list[node].mark == mark || !constraint_lists(m, c, node) ||
			       reservation_refuses(m, &s->reservation, node, part)));
	return node;
}

static size_t gather(struct sched *s, uint32_t part, const struct node_index_ask *ask,
		     uint32_t mark)
{
	struct node_index_cursor cursor = {0};
	size_t n = 0;
	uint32_t node;

	while ((node = node_select_next(s, part, ask, mark, &cursor)) != NIL) {
		GROW(s->select.shown, s->select.shown_cap, n + 1);
		s->select.shown[n++] = node;
	}
	return n;
}

uint32_t node_select_best(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark)
{
	struct model *m = &s->model;
	size_t n = gather(s, part, ask, mark), best = 0, row = m->dims * sizeof(int64_t);
	int64_t *uses = row_uses(s, s->select.current_row), *at;
	struct armada_select_nodes nodes = {.count = n};

	if (!n)
		return NIL;
	GROW(s->select.shown_rows, s->select.shown_rows_cap, 3 * n * m->dims);
	GROW(s->select.scores, s->select.scores_cap, n);
	at = s->select.shown_rows;
	nodes.free = at;
	nodes.total = at + n * m->dims;
	nodes.queue_used = at + 2 * n * m->dims;
	for (size_t i = 0; i < n; i++, at += m->dims) {
		memcpy(at, nodes_free(m, s->select.shown[i]), row);
		memcpy(at + n * m->dims, nodes_total(m, s->select.shown[i]), row);
		memcpy(at + 2 * n * m->dims, uses + s->select.shown[i] * m->dims, row);
	}
	m->policies.select->score(m->policies.select_handle, ask->request, &nodes,
				  s->select.scores);
	for (size_t i = 0; i < n; i++) {
		s->select.bad_score = s->select.bad_score || !isfinite(s->select.scores[i]);
		if (s->select.scores[i] < s->select.scores[best])
			best = i;
	}
	return s->select.shown[best];
}
