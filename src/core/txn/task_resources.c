#include "core/txn/task_resources.h"

#include "core/state/node.h"

#include <string.h>

enum { MEMORY = 1 }; /* its place in struct resources */

/* The tasks of a node have consecutive ranks. */
static int64_t part_of_memory(const struct task *t)
{
	const struct element *e = t->element;
	uint32_t first = t->rank, end = t->rank + 1;

	while (first > 0 && e->tasks[first - 1].node == t->node)
		first--;
	while (end < e->task_count && e->tasks[end].node == t->node)
		end++;
	return t->node->total.amount[MEMORY] / (end - first);
}

Armada__Resource **task_resources(const struct task *t, const Armada__JobSpec *spec,
				  struct arena *a, size_t *ret_count)
{
	const Armada__TaskGroup *g = spec->groups[t->group];
	Armada__Resource **list;

	*ret_count = g->n_resources;
	if (!spec->whole_memory)
		return g->resources;
	list = arena_memdup(a, g->resources, g->n_resources * sizeof(*list));
	for (size_t i = 0; i < g->n_resources; i++)
		if (strcmp(list[i]->name, "memory") == 0) {
			list[i] = arena_memdup(a, list[i], sizeof(*list[i]));
			list[i]->amount = part_of_memory(t);
		}
	return list;
}

int64_t task_resources_memory(const struct element *e)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		if (!i || e->tasks[i].node != e->tasks[i - 1].node)
			sum += e->tasks[i].node->total.amount[MEMORY];
	return sum;
}
