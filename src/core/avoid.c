/*
 * A job is not started on nodes that failed it, or that it was taken from by their name, just now, for a
 * while: all of its elements alike.
 */
#include "core/fold_parts.h"
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

void avoid_add(struct core *c, struct job *j, const char *node, int64_t until_us)
{
	struct avoids *of = j->avoids;

	if (!of) {
		of = j->avoids = xcalloc(1, sizeof(*of));
		of->job = j;
		LIST_INSERT_HEAD(&c->avoiding, of, all);
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

Armada__Avoided **avoids_with(struct core *c, const struct element *e, char *const *nodes,
			      size_t node_count, int64_t until_us, size_t *ret_count)
{
	const struct avoids *of = e->job->avoids;
	size_t had = of ? of->count : 0, count = 0;
	Armada__Avoided **list = arena_alloc(c->arena, (had + e->task_count) * sizeof(*list));

	for (size_t i = 0; i < had; i++)
		note(c->arena, list, &count, of->list[i].node, of->list[i].until_us);
	for (size_t i = 0; i < node_count && count < had + e->task_count; i++)
		if (runs_on(e, nodes[i]))
			note(c->arena, list, &count, nodes[i], until_us);
	*ret_count = count;
	return list;
}

int fold_job_avoids(struct core *c, const Armada__JobAvoids *m, struct err *err)
{
	struct job *j = job_find(c, m->job);

	if (!j)
		return err_set(err, -EINVAL, "job %" PRIu64 " avoids but is not there", m->job);
	avoids_drop(j);
	for (size_t i = 0; i < m->n_nodes; i++)
		avoid_add(c, j, m->nodes[i]->node, m->nodes[i]->until_us);
	return 0;
}

static bool is_over(const struct core *c, const struct avoid *a)
{
	return a->until_us <= c->now_us;
}

/* What is left of them; the message is a copy, for the fold replaces the list. */
static void lapse(struct core *c, struct job *j)
{
	Armada__JobAvoids *m;
	Armada__Event *ev;
	size_t all, over = 0;

	for (size_t i = 0; i < j->avoids->count; i++)
		over += is_over(c, &j->avoids->list[i]);
	if (!over)
		return;
	ev = event_make(c, ARMADA__EVENT__KIND_JOB_AVOIDS, &m);
	m->job = j->id;
	m->nodes = avoids_message(j, c->arena, &all);
	for (size_t i = 0; i < all; i++)
		if (!is_over(c, &j->avoids->list[i])) {
			m->nodes[m->n_nodes] = m->nodes[i];
			m->nodes[m->n_nodes]->node = arena_strdup(c->arena, m->nodes[i]->node);
			m->n_nodes++;
		}
	emit(c, ev);
}

void avoids_tick(struct core *c)
{
	struct avoids *of, *next;

	for (of = LIST_FIRST(&c->avoiding); of; of = next) {
		next = LIST_NEXT(of, all);
		lapse(c, of->job);
	}
}

const char *avoids_text(const struct job *j, struct arena *a)
{
	const char *text = "";

	for (size_t i = 0; j->avoids && i < j->avoids->count; i++)
		text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", j->avoids->list[i].node);
	return text;
}
