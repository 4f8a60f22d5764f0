#include "feed/task_constraints.h"

#include <string.h>

void task_shun_nodes(struct sched_feed *m, const char *const *nodes, size_t count,
		     struct sched_job *j)
{
	const char **list = arena_alloc(m->arena, (j->exclude_count + count) * sizeof(*list));

	if (j->exclude_count)
		memcpy(list, j->exclude, j->exclude_count * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (nodes[i])
			list[j->exclude_count++] = nodes[i];
	j->exclude = list;
}

static const char *value_of(const struct sched_feed *m, const char *node, const char *label)
{
	const struct known_node *n = sched_feed_node(m, node);

	for (size_t i = 0; n && i < n->set->n_labels; i++)
		if (strcmp(n->set->labels[i]->key, label) == 0)
			return n->set->labels[i]->value;
	return NULL;
}

void task_stay_uniform(struct sched_feed *m, const char *node, struct sched_job *j)
{
	const char *value = j->uniformity ? value_of(m, node, j->uniformity) : NULL;
	struct sched_selector *list;

	if (!value)
		return;
	list = arena_alloc(m->arena, (j->selector_count + 1) * sizeof(*list));
	if (j->selector_count)
		memcpy(list, j->selectors, j->selector_count * sizeof(*list));
	list[j->selector_count++] = (struct sched_selector){.key = j->uniformity, .value = value};
	j->selectors = list;
	j->uniformity = NULL;
}
