#include "core/depend.h"
#include "core/gang.h"
#include "core/tenant.h"
#include "core/vacancy.h"
#include "util/mem.h"

#include <assert.h>

size_t job_after(const struct core *c, uint64_t after)
{
	size_t lo = 0, hi = c->job_slots;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->job_ids[mid] <= after)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct job *job_find(const struct core *c, uint64_t id)
{
	size_t at;

	if (!id)
		return NULL;
	at = job_after(c, id - 1);
	return at < c->job_slots && c->job_ids[at] == id ? c->jobs[at] : NULL;
}

struct job *job_insert(struct core *c, uint64_t id)
{
	struct job *j = xcalloc(1, sizeof(*j));

	assert(!c->job_slots || c->job_ids[c->job_slots - 1] < id);
	GROW(c->jobs, c->job_cap, c->job_slots + 1);
	GROW(c->job_ids, c->id_cap, c->job_slots + 1);
	c->jobs[c->job_slots] = j;
	c->job_ids[c->job_slots++] = id;
	c->job_live++;
	j->id = id;
	return j;
}

/* Close the gaps once they are most of the table: O(1) a job in the long run. */
static void compact(struct core *c)
{
	size_t to = 0;

	if (c->job_slots < 64 || c->job_live * 2 > c->job_slots)
		return;
	for (size_t from = 0; from < c->job_slots; from++)
		if (c->jobs[from]) {
			c->jobs[to] = c->jobs[from];
			c->job_ids[to++] = c->job_ids[from];
		}
	c->job_slots = to;
}

void job_drop(struct core *c, struct job *j)
{
	size_t at = job_after(c, j->id - 1);

	assert(c->jobs[at] == j);
	for (size_t i = j->element_count; i > 0; i--)
		element_drop(c, j->elements[i - 1]);
	depend_drop(c, j);
	target_leave(j);
	namesake_leave(c, j);
	gang_leave(c, j);
	if (j->ends)
		rangeset_done(&j->ends->bad);
	free(j->ends);
	avoids_drop(j);
	tenant_leave(c, j);
	spec_release(c, j->spec);
	user_release(c, j->user);
	rangeset_done(&j->waiting);
	free(j->elements);
	free(j->end_reason);
	free(j->reason);
	free(j);
	c->jobs[at] = NULL;
	c->job_live--;
	while (c->job_slots && !c->jobs[c->job_slots - 1])
		c->job_slots--;
	compact(c);
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

struct element *element_obtain(struct job *j, uint32_t index)
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
	e->state = ARMADA__JOB_STATE__JOB_PENDING;
	return j->elements[at] = e;
}

void element_free_tasks(struct core *c, struct element *e)
{
	vacancies_drop(c, e);
	for (uint32_t i = 0; i < e->task_count; i++) {
		if (e->tasks[i].state != TASK_ENDED)
			tenant_uses(&e->tasks[i], -1);
		if (e->tasks[i].node)
			LIST_REMOVE(&e->tasks[i], on_node);
		free(e->tasks[i].text);
	}
	free(e->tasks);
	e->tasks = NULL;
	e->task_count = 0;
}

void element_lease(struct element *e, uint32_t task_count)
{
	assert(!e->tasks);
	e->tasks = xcalloc(task_count, sizeof(*e->tasks));
	e->task_count = task_count;
	for (uint32_t i = 0; i < task_count; i++) {
		e->tasks[i].element = e;
		e->tasks[i].rank = i;
		e->tasks[i].attempt = e->attempt;
		e->tasks[i].seq = e->seq;
	}
}

void element_drop(struct core *c, struct element *e)
{
	struct job *j = e->job;
	size_t at = element_slot(j, e->index);

	assert(at < j->element_count && j->elements[at] == e);
	element_free_tasks(c, e);
	free(e->text);
	free(e->before);
	free(e);
	for (j->element_count--; at < j->element_count; at++)
		j->elements[at] = j->elements[at + 1];
}

bool job_over(const struct job *j)
{
	return !j->waiting.total && !j->element_count;
}

struct task *task_find(const struct core *c, const Armada__TaskKey *key)
{
	struct job *j = key ? job_find(c, key->job) : NULL;
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

bool state_is_terminal(int state)
{
	return state >= ARMADA__JOB_STATE__JOB_COMPLETED;
}
