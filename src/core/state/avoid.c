#include "core/state/write.h"

#include "core/state/avoid.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

void avoid_add(struct state *state, struct job *j, const char *node, int64_t until_us)
{
	struct avoids *of = j->avoids;

	if (!of) {
		of = j->avoids = xcalloc(1, sizeof(*of));
		of->job = j;
		LIST_INSERT_HEAD(&state->avoiding, of, all);
	}
	for (size_t i = 0; i < of->count; i++)
		if (strcmp(of->list[i].node, node) == 0) {
			of->list[i].until_us = until_us;
			return;
		}
	of->list = xreallocarray(of->list, of->count + 1, sizeof(*of->list));
	of->list[of->count++] = (struct avoid){xstrdup(node), until_us};
}

void avoids_drop(struct job *j)
{
	struct avoids *of = j->avoids;

	if (!of)
		return;
	LIST_REMOVE(of, all);
	for (size_t i = 0; i < of->count; i++)
		free(of->list[i].node);
	free(of->list);
	free(of);
	j->avoids = NULL;
}

Armada__Avoided **avoids_message(const struct job *j, struct arena *a, size_t *ret_count)
{
	size_t count = j->avoids ? j->avoids->count : 0;
	Armada__Avoided **list = arena_alloc(a, count * sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		list[i] = arena_alloc(a, sizeof(**list));
		armada__avoided__init(list[i]);
		list[i]->node = j->avoids->list[i].node;
		list[i]->until_us = j->avoids->list[i].until_us;
	}
	*ret_count = count;
	return list;
}
