#include "core/state/write.h"

#include "core/state/extra.h"

#include "core/state/state.h"
#include "util/mem.h"

#include <errno.h>

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
	uint32_t rank = e->extras ? e->extras->slots[extra].rank : 0;

	return rank ? &e->tasks[rank - 1] : NULL;
}

bool extra_waits(const struct element *e, uint32_t extra)
{
	const struct task *t = extra_task(e, extra);

	return !e->extras->slots[extra].dropped && (!t || t->vacant);
}

bool extra_is_dropped(const struct task *t)
{
	return t->extra && t->element->extras->slots[t->extra - 1].dropped;
}

uint32_t extra_group(const struct element *e, uint32_t extra)
{
	return e->extras->slots[extra].group;
}

uint32_t extras_waiting(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; e->extras && i < e->extras->count; i++)
		n += extra_waits(e, i);
	return n;
}

uint32_t extras_never_placed(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; e->extras && i < e->extras->count; i++)
		n += !e->extras->slots[i].dropped && !e->extras->slots[i].rank;
	return n;
}

uint32_t extras_first_of(const struct element *e, uint32_t group)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->extras->first && i < e->task_count; i++)
		n += e->tasks[i].group == group;
	return n;
}

uint32_t extras_asked_of(const struct element *e, uint32_t group)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->extras->count; i++)
		n += e->extras->slots[i].group == group && !e->extras->slots[i].dropped;
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

/* The groups of the extra tasks at the lease: what those that start together leave of each group. */
static void set_slot_groups(struct extras *x)
{
	const struct spec *s = x->element->job->spec;
	uint32_t n = 0;

	for (uint32_t g = 0; g < s->group_count; g++) {
		uint32_t all = s->groups ? s->groups[g].replicas : s->tasks;

		for (uint32_t i = extras_first_of(x->element, g); i < all && n < x->count; i++)
			x->slots[n++].group = (uint16_t)g;
	}
}

void extras_add(struct state *state, struct element *e, uint64_t number, uint32_t together,
		uint32_t count)
{
	struct extras *x = xcalloc(1, sizeof(*x));

	x->number = number & NUMBER_MASK;
	x->element = e;
	x->first = together;
	x->count = count;
	x->slots = xcalloc(x->count, sizeof(*x->slots));
	HASH_ADD(hh, state->extras, number, sizeof(x->number), x);
	e->extras = x;
	set_slot_groups(x);
	if (number >= state->next_replacement)
		state->next_replacement = number + 1;
}

void extras_drop(struct state *state, struct element *e)
{
	struct extras *x = e->extras;

	if (!x)
		return;
	HASH_DEL(state->extras, x);
	free(x->slots);
	free(x);
	e->extras = NULL;
}

uint32_t *extras_list(const struct element *e, struct arena *a)
{
	uint32_t *list = arena_alloc(a, e->extras->count * sizeof(*list));

	for (uint32_t i = 0; i < e->extras->count; i++)
		list[i] = 2U * e->extras->slots[i].group + e->extras->slots[i].dropped;
	return list;
}

static bool list_fits(const struct element *e, const uint32_t *list, size_t count)
{
	if (count < e->extras->count || count >> EXTRA_BITS)
		return false;
	for (size_t i = 0; i < count; i++)
		if (list[i] / 2 >= e->job->spec->group_count ||
		    (i < e->extras->count && list[i] / 2 != e->extras->slots[i].group))
			return false;
	return true;
}

int extras_scale(struct element *e, const uint32_t *list, size_t count)
{
	struct extras *x = e->extras;

	if (!list_fits(e, list, count))
		return -EINVAL;
	x->slots = xreallocarray(x->slots, count + 1, sizeof(*x->slots));
	for (size_t i = 0; i < count; i++) {
		struct extra_slot *slot = &x->slots[i];

		if (i >= x->count)
			*slot = (struct extra_slot){.group = (uint16_t)(list[i] / 2)};
		slot->dropped = list[i] & 1;
		if (slot->dropped && slot->rank) /* the element may end without it */
			e->tasks[slot->rank - 1].owed = false;
	}
	x->count = (uint32_t)count;
	x->scaled = true;
	element_make_room(e, x->first + x->count);
	return 0;
}
