#include "core/state/write.h"

#include "core/state/task_replacement.h"

#include "core/state/queue_user.h"
#include "core/state/state.h"
#include "util/mem.h"

struct task_replacement *task_replacement_find(const struct state *state, uint64_t id)
{
	struct task_replacement *v;

	HASH_FIND(hh, state->replacements, &id, sizeof(id), v);
	return v;
}

void task_replacement_translate(const struct state *state, uint64_t *job, uint32_t *element)
{
	const struct task_replacement *v =
		*job & REPLACEMENT_ID_BIT ? task_replacement_find(state, *job) : NULL;

	if (!v)
		return;
	*job = v->task->element->job->id;
	*element = v->task->element->index;
}

void task_replacement_drop(struct state *state, struct task_replacement *v)
{
	queue_user_uses(v->task, -1);
	v->task->replacement = NULL;
	v->task->element->replacements--;
	HASH_DEL(state->replacements, v);
	free(v);
}

void task_replacements_drop(struct state *state, struct element *e)
{
	for (uint32_t i = 0; e->replacements && i < e->task_count; i++)
		if (e->tasks[i].replacement)
			task_replacement_drop(state, e->tasks[i].replacement);
}

void task_replacement_restore(struct state *state, struct task *t, uint64_t id)
{
	struct task_replacement *v = xcalloc(1, sizeof(*v));

	v->id = id;
	v->task = t;
	t->replacement = v;
	queue_user_uses(t, 1); /* the waiting task keeps its share of the usage */
	t->element->replacements++;
	HASH_ADD(hh, state->replacements, id, sizeof(v->id), v);
	if (id >= state->next_replacement)
		state->next_replacement = id + 1;
}
