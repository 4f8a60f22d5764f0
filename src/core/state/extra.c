#include "core/state/write.h"

#include "core/state/extra.h"

#include "core/state/state.h"
#include "util/mem.h"

#define NUMBER_MASK ((UINT64_C(1) << (62 - EXTRA_BITS)) - 1)

bool extra_is_id(uint64_t id)
{
	return (id & SCHED_TASK_IDS) && (id & EXTRA_ID_BIT);
}

uint64_t extra_id(uint64_t number, uint32_t extra)
{
	return SCHED_TASK_IDS | EXTRA_ID_BIT | (number & NUMBER_MASK) << EXTRA_BITS | extra;
}

struct element *extra_find(const struct state *state, uint64_t id, uint32_t *ret_extra)
{
	uint64_t number = id >> EXTRA_BITS & NUMBER_MASK;
	struct extras *x = NULL;

	if (extra_is_id(id))
		HASH_FIND(hh, state->extras, &number, sizeof(number), x);
	*ret_extra = (uint32_t)(id & ((1U << EXTRA_BITS) - 1));
	return x && *ret_extra < x->count ? x->element : NULL;
}

struct task *extra_task(const struct element *e, uint32_t extra)
{
	uint32_t rank = e->extras ? e->extras->ranks[extra] : 0;

	return rank ? &e->tasks[rank - 1] : NULL;
}

bool extra_waits(const struct element *e, uint32_t extra)
{
	const struct task *t = extra_task(e, extra);

	return !t || t->vacant;
}

uint32_t extra_group(const struct element *e, uint32_t extra)
{
	return spec_group_of(e->job->spec, e->extras->first + extra);
}

uint32_t extras_waiting(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; e->extras && i < e->extras->count; i++)
		n += extra_waits(e, i);
	return n;
}

uint32_t extras_owed(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; e->extras && i < e->task_count; i++)
		n += e->tasks[i].owed;
	return n;
}

void extra_translate(const struct state *state, uint64_t *job, uint32_t *element)
{
	uint32_t extra;
	const struct element *e = extra_find(state, *job, &extra);

	if (!e)
		return;
	*job = e->job->id;
	*element = e->index;
}

void extras_add(struct state *state, struct element *e, uint64_t number, uint32_t together)
{
	struct extras *x = xcalloc(1, sizeof(*x));

	x->number = number & NUMBER_MASK;
	x->element = e;
	x->first = together;
	x->count = e->job->spec->tasks - together;
	x->ranks = xcalloc(x->count, sizeof(*x->ranks));
	HASH_ADD(hh, state->extras, number, sizeof(x->number), x);
	e->extras = x;
	if (number >= state->next_replacement)
		state->next_replacement = number + 1;
}

void extras_drop(struct state *state, struct element *e)
{
	struct extras *x = e->extras;

	if (!x)
		return;
	HASH_DEL(state->extras, x);
	free(x->ranks);
	free(x);
	e->extras = NULL;
}
