#include "core/state/task_group.h"

#include <string.h>

static void *joined(struct arena *a, void *one, size_t n, void *other, size_t m)
{
	char *list = arena_alloc(a, (n + m + 1) * sizeof(void *));

	if (n)
		memcpy(list, one, n * sizeof(void *));
	if (m)
		memcpy(list + n * sizeof(void *), other, m * sizeof(void *));
	return list;
}

void group_add_constraints(Armada__JobSpec *s, const Armada__TaskGroup *g, struct arena *a)
{
	s->selectors = joined(a, s->selectors, s->n_selectors, g->selectors, g->n_selectors);
	s->n_selectors += g->n_selectors;
	s->tolerations =
		joined(a, s->tolerations, s->n_tolerations, g->tolerations, g->n_tolerations);
	s->n_tolerations += g->n_tolerations;
}

Armada__JobSpec *group_view(const Armada__JobSpec *spec, size_t group, struct arena *a)
{
	Armada__JobSpec *view = arena_memdup(a, spec, sizeof(*spec));

	view->groups = &spec->groups[group];
	view->n_groups = 1;
	view->min_available = 0;
	view->name = spec->groups[group]->name;
	group_add_constraints(view, spec->groups[group], a);
	return view;
}

Armada__JobSpec *spec_without_env(const Armada__JobSpec *spec, struct arena *a)
{
	Armada__JobSpec *copy = arena_memdup(a, spec, sizeof(*spec));

	copy->groups = arena_alloc(a, spec->n_groups * sizeof(*copy->groups));
	for (size_t i = 0; i < spec->n_groups; i++) {
		copy->groups[i] = arena_memdup(a, spec->groups[i], sizeof(*spec->groups[i]));
		copy->groups[i]->n_env = 0;
		copy->groups[i]->env = NULL;
	}
	return copy;
}
