#include "core/lifecycle/avoid.h"

#include "core/state/avoid.h"
#include "core/txn/emit.h"

#include <string.h>

static bool runs_on(const struct element *e, const char *node)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (strcmp(e->tasks[i].node->name, node) == 0)
			return true;
	return false;
}

static void note(struct arena *a, Armada__Avoided **list, size_t *count, const char *node,
		 int64_t until_us)
{
	size_t at = 0;

	while (at < *count && strcmp(list[at]->node, node) != 0)
		at++;
	if (at == *count) {
		list[at] = arena_alloc(a, sizeof(*list[at]));
		armada__avoided__init(list[at]);
		list[at]->node = arena_strdup(a, node);
		++*count;
	}
	if (until_us > list[at]->until_us)
		list[at]->until_us = until_us;
}

Armada__Avoided **avoids_with(struct txn *txn, const struct element *e, char *const *nodes,
			      size_t node_count, int64_t until_us, size_t *ret_count)
{
	const struct avoids *of = e->job->avoids;
	size_t had = of ? of->count : 0, count = 0;
	Armada__Avoided **list = arena_alloc(txn->arena, (had + e->task_count) * sizeof(*list));

	for (size_t i = 0; i < had; i++)
		note(txn->arena, list, &count, of->list[i].node, of->list[i].until_us);
	for (size_t i = 0; i < node_count && count < had + e->task_count; i++)
		if (runs_on(e, nodes[i]))
			note(txn->arena, list, &count, nodes[i], until_us);
	*ret_count = count;
	return list;
}

/* Over, or noted by a clock that was ahead and has been set back. */
static bool is_over(const struct txn *txn, const struct job *j, const struct avoid *a)
{
	int64_t longest_us = j->spec->grace_ms * 1000 + txn->policy->avoid_us;

	return a->until_us <= txn->clock_us || a->until_us - txn->clock_us > longest_us;
}

/* Drops the entries that are over. The message is a copy, because the fold replaces the list. */
static void lapse(struct txn *txn, const struct job *j)
{
	Armada__JobAvoids *m;
	Armada__Event *ev;
	size_t all, over = 0;

	for (size_t i = 0; i < j->avoids->count; i++)
		over += is_over(txn, j, &j->avoids->list[i]);
	if (!over)
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_AVOIDS, &m);
	m->job = j->id;
	m->nodes = avoids_message(j, txn->arena, &all);
	for (size_t i = 0; i < all; i++)
		if (!is_over(txn, j, &j->avoids->list[i])) {
			m->nodes[m->n_nodes] = m->nodes[i];
			m->nodes[m->n_nodes]->node = arena_strdup(txn->arena, m->nodes[i]->node);
			m->n_nodes++;
		}
	emit_event(txn, ev);
}

void avoids_tick(struct txn *txn)
{
	const struct avoids *of, *next;

	for (of = LIST_FIRST(&txn->state->avoiding); of; of = next) {
		next = LIST_NEXT(of, all);
		lapse(txn, of->job);
	}
}
