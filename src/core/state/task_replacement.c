#include "core/state/write.h"

#include "core/state/task_replacement.h"

#include "core/state/queue_user.h"
#include "core/state/state.h"
#include "util/mem.h"

struct vacancy *vacancy_find(const struct state *state, uint64_t id)
{
	struct vacancy *v;

	HASH_FIND(hh, state->vacancies, &id, sizeof(id), v);
	return v;
}

void vacancy_translate(const struct state *state, uint64_t *job, uint32_t *element)
{
	const struct vacancy *v = *job & VACANCY_IDS ? vacancy_find(state, *job) : NULL;

	if (!v)
		return;
	*job = v->task->element->job->id;
	*element = v->task->element->index;
}

void vacancy_drop(struct state *state, struct vacancy *v)
{
	tenant_uses(v->task, -1);
	v->task->vacancy = NULL;
	v->task->element->vacancies--;
	HASH_DEL(state->vacancies, v);
	free(v);
}

void vacancies_drop(struct state *state, struct element *e)
{
	for (uint32_t i = 0; e->vacancies && i < e->task_count; i++)
		if (e->tasks[i].vacancy)
			vacancy_drop(state, e->tasks[i].vacancy);
}

void vacancy_restore(struct state *state, struct task *t, uint64_t id)
{
	struct vacancy *v = xcalloc(1, sizeof(*v));

	v->id = id;
	v->task = t;
	t->vacancy = v;
	tenant_uses(t, 1); /* its place is its own */
	t->element->vacancies++;
	HASH_ADD(hh, state->vacancies, id, sizeof(v->id), v);
	if (id >= state->next_vacancy)
		state->next_vacancy = id + 1;
}
