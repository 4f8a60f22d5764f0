/*
 * The table of jobs, and the elements and tasks of each job.
 *
 * Input: ids, indexes and keys of tasks. Output: pointers that are valid during one input, and the
 * same data as messages. Jobs are in an array sorted by id, with the ids in a parallel array for
 * the binary search. A job that leaves memory leaves a NULL in its slot, and compact() removes
 * these slots later. Caveats: loops over state->jobs must skip NULL. job_drop() and element_drop()
 * also remove all links from other nouns to the job, the element and its tasks.
 */
#include "core/state/write.h"

#include "core/state/avoid.h"
#include "core/state/dependents.h"
#include "core/state/extra.h"
#include "core/state/gang.h"
#include "core/state/queue_user.h"
#include "core/state/same_name_index.h"
#include "core/state/state.h"
#include "core/state/state_machine.h"
#include "core/state/stored.h"
#include "core/state/task_replacement.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

size_t job_after(const struct state *state, uint64_t after)
{
	size_t lo = 0, hi = state->job_slots;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (state->job_ids[mid] <= after)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct job *job_find(const struct state *state, uint64_t id)
{
	size_t at;

	if (!id)
		return NULL;
	at = job_after(state, id - 1);
	return at < state->job_slots && state->job_ids[at] == id ? state->jobs[at] : NULL;
}

struct job *job_insert(struct state *state, uint64_t id)
{
	struct job *j = xcalloc(1, sizeof(*j));

	assert(!state->job_slots || state->job_ids[state->job_slots - 1] < id);
	GROW(state->jobs, state->job_cap, state->job_slots + 1);
	GROW(state->job_ids, state->id_cap, state->job_slots + 1);
	state->jobs[state->job_slots] = j;
	state->job_ids[state->job_slots++] = id;
	state->job_live++;
	j->id = id;
	j->slot = slot_take(&state->job_places);
	return j;
}

/* Remove the empty slots when at least half of the table is empty: O(1) for each job on average. */
static void compact(struct state *state)
{
	size_t to = 0;

	if (state->job_slots < 64 || state->job_live * 2 > state->job_slots)
		return;
	for (size_t from = 0; from < state->job_slots; from++)
		if (state->jobs[from]) {
			state->jobs[to] = state->jobs[from];
			state->job_ids[to++] = state->job_ids[from];
		}
	state->job_slots = to;
}

void job_drop(struct state *state, struct job *j)
{
	size_t at = job_after(state, j->id - 1);

	assert(state->jobs[at] == j);
	for (size_t i = j->element_count; i > 0; i--)
		element_drop(state, j->elements[i - 1]);
	dependents_drop(j);
	dependents_leave(j);
	same_name_leave(state, j);
	job_set_leave(state, j);
	gang_leave(state, j);
	stored_leave(state, j);
	if (j->ends)
		rangeset_done(&j->ends->bad);
	free(j->ends);
	slot_give_back(&state->job_places, j->slot);
	avoids_drop(j);
	queue_user_leave(state, j);
	spec_release(state, j->spec);
	spec_release(state, j->next);
	user_release(state, j->user);
	rangeset_done(&j->waiting);
	free(j->elements);
	free(j->end_reason);
	free(j);
	state->jobs[at] = NULL;
	state->job_live--;
	while (state->job_slots && !state->jobs[state->job_slots - 1])
		state->job_slots--;
	compact(state);
}

static size_t element_slot(const struct job *j, uint32_t index)
{
	size_t lo = 0, hi = j->element_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (j->elements[mid]->index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct element *element_find(const struct job *j, uint32_t index)
{
	size_t at = element_slot(j, index);

	return at < j->element_count && j->elements[at]->index == index ? j->elements[at] : NULL;
}

struct element *element_obtain(struct state *state, struct job *j, uint32_t index)
{
	size_t at = element_slot(j, index);
	struct element *e;

	if (at < j->element_count && j->elements[at]->index == index)
		return j->elements[at];
	if (j->spec->array)
		GROW(j->elements, j->element_cap, j->element_count + 1);
	else if (!j->elements)
		j->elements = xmalloc(sizeof(*j->elements));
	for (size_t i = j->element_count; i > at; i--)
		j->elements[i] = j->elements[i - 1];
	j->element_count++;
	e = xcalloc(1, sizeof(*e));
	e->job = j;
	e->index = index;
	e->slot = slot_take(&state->element_places);
	machine_begin(e, ARMADA__JOB_STATE__JOB_PENDING);
	return j->elements[at] = e;
}

void element_free_tasks(struct state *state, struct element *e)
{
	task_replacements_drop(state, e);
	extras_drop(state, e);
	for (uint32_t i = 0; i < e->task_count; i++) {
		if (e->tasks[i].state != TASK_ENDED) {
			queue_user_uses(&e->tasks[i], -1);
			if (!e->lease_pending)
				queue_use_change(state, e->job->queue, task_request(&e->tasks[i]),
						 -1);
		}
		if (e->tasks[i].node)
			LIST_REMOVE(&e->tasks[i], on_node);
		free(e->tasks[i].text);
	}
	free(e->tasks);
	e->tasks = NULL;
	e->task_count = 0;
	e->earlier = (struct task_usage){0};
}

struct task *element_add_task(struct element *e)
{
	struct task *t = &e->tasks[e->task_count];

	t->element = e;
	t->rank = e->task_count++;
	t->attempt = e->attempt;
	t->seq = e->seq;
	return t;
}

void element_lease(struct element *e, uint32_t task_count)
{
	uint32_t most = e->job->spec->tasks; /* room for extra tasks, which are added later */

	assert(!e->tasks);
	e->tasks = xcalloc(most > task_count ? most : task_count, sizeof(*e->tasks));
	while (e->task_count < task_count)
		element_add_task(e);
}

void element_make_room(struct element *e, uint32_t most)
{
	/* lists and replacements point to tasks, which move */
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].node)
			LIST_REMOVE(&e->tasks[i], on_node);
	e->tasks = xreallocarray(e->tasks, most, sizeof(*e->tasks));
	memset(e->tasks + e->task_count, 0, (most - e->task_count) * sizeof(*e->tasks));
	for (uint32_t i = e->task_count; i-- > 0;) {
		struct task *t = &e->tasks[i];

		if (t->node)
			LIST_INSERT_HEAD(&t->node->tasks, t, on_node);
		if (t->replacement)
			t->replacement->task = t;
	}
}

void element_pause(struct state *state, struct element *e, int64_t until_us)
{
	if (e->not_before_us)
		LIST_REMOVE(e, paused);
	if (e->job->gang)
		e->job->gang->paused += (until_us != 0) - (e->not_before_us != 0);
	e->not_before_us = until_us;
	if (until_us)
		LIST_INSERT_HEAD(&state->paused, e, paused);
}

void element_drop(struct state *state, struct element *e)
{
	struct job *j = e->job;
	size_t at = element_slot(j, e->index);

	assert(at < j->element_count && j->elements[at] == e);
	element_free_tasks(state, e);
	element_pause(state, e, 0);
	free(e->text);
	free(e->before);
	free(e->for_queue);
	free(e->by);
	slot_give_back(&state->element_places, e->slot);
	free(e);
	for (j->element_count--; at < j->element_count; at++)
		j->elements[at] = j->elements[at + 1];
}

bool job_over(const struct job *j)
{
	return !j->waiting.total && !j->element_count;
}

struct task *task_find(const struct state *state, const Armada__TaskKey *key)
{
	struct job *j = key ? job_find(state, key->job) : NULL;
	struct element *e = j ? element_find(j, key->element) : NULL;

	if (!e || key->rank >= e->task_count || e->tasks[key->rank].attempt != key->attempt)
		return NULL;
	return &e->tasks[key->rank];
}

struct task_key task_key_of(const struct task *t)
{
	return (struct task_key){
		.job = t->element->job->id,
		.element = t->element->index,
		.rank = t->rank,
		.attempt = t->attempt,
	};
}

Armada__TaskKey *task_key_message(const struct task *t, uint32_t attempt, struct arena *a)
{
	Armada__TaskKey *k = arena_alloc(a, sizeof(*k));

	armada__task_key__init(k);
	k->job = t->element->job->id;
	k->element = t->element->index;
	k->rank = t->rank;
	k->attempt = attempt;
	return k;
}

bool state_is_terminal(int state)
{
	return state >= ARMADA__JOB_STATE__JOB_COMPLETED && state < STATE_COUNT;
}

uint64_t task_settings(const struct task *t)
{
	const struct element *e = t->element;
	uint64_t seq =
		e->settings_seq > e->job->settings_seq ? e->settings_seq : e->job->settings_seq;

	if (e->hosts_seq > seq)
		seq = e->hosts_seq;
	return seq > t->seq ? seq : 0;
}

int element_shown_state(const struct element *e)
{
	return e->suspended && e->state == ARMADA__JOB_STATE__JOB_RUNNING
		       ? ARMADA__JOB_STATE__JOB_SUSPENDED
		       : e->state;
}

bool task_stands_by(const struct task *t)
{
	const struct element *e = t->element;

	return spec_launches_first(e->job->spec, t->group) && t->rank > 0 &&
	       e->tasks[t->rank - 1].group == t->group;
}

const struct resources *task_request(const struct task *t)
{
	return spec_request(t->element->job->spec, t->group);
}

struct array_ends *ends_obtain(struct job *j)
{
	if (!j->ends)
		j->ends = xcalloc(1, sizeof(*j->ends));
	return j->ends;
}

const struct rangeset *job_bad(const struct job *j)
{
	return j->ends && j->ends->bad.count ? &j->ends->bad : NULL;
}

uint32_t running_elements(const struct job *j)
{
	uint32_t n = 0;

	for (size_t i = 0; i < j->element_count; i++)
		n += j->elements[i]->task_count > 0;
	return n;
}

void note_excess(struct job *j)
{
	uint32_t running;

	if (!j->excess)
		return;
	running = running_elements(j);
	j->excess = j->spec->throttle && running > j->spec->throttle ? running : 0;
}

void job_hold(struct job *j, bool held, Armada__Holder by)
{
	if (j->gang && j->held != held)
		j->gang->held += held ? 1 : -1;
	j->held = held;
	j->held_by = held ? by : ARMADA__HOLDER__HOLDER_OWNER;
}

/* ---- as messages ---- */

Armada__IndexRange *range_message(uint32_t first, uint32_t last, uint32_t step, struct arena *a)
{
	Armada__IndexRange *r = arena_alloc(a, sizeof(*r));

	armada__index_range__init(r);
	r->first = first;
	r->last = last;
	r->step = step;
	return r;
}

Armada__IndexRange **range_of_one(uint32_t index, uint32_t step, struct arena *a)
{
	Armada__IndexRange *r = range_message(index, index, step, a);

	return arena_memdup(a, &r, sizeof(r));
}

Armada__IndexRange **ranges_of(const struct rangeset *s, size_t max, struct arena *a,
			       size_t *ret_count)
{
	size_t count = s->count < max ? s->count : max;
	Armada__IndexRange **list = arena_alloc(a, count * sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = range_message(s->ranges[i].lo, s->ranges[i].hi, 1, a);
	*ret_count = count;
	return list;
}

Armada__StateCount **job_ends(const struct job *j, struct arena *a, size_t *ret_count)
{
	Armada__StateCount **list;

	*ret_count = 0;
	if (!j->ends)
		return NULL;
	list = arena_alloc(a, sizeof(*list) * ARRAY_SIZE(j->ends->count));
	for (size_t s = 0; s < ARRAY_SIZE(j->ends->count); s++) {
		Armada__StateCount *count;

		if (!j->ends->count[s])
			continue;
		count = list[(*ret_count)++] = arena_alloc(a, sizeof(*count));
		armada__state_count__init(count);
		count->state = (Armada__JobState)s;
		count->count = j->ends->count[s];
	}
	return list;
}
