#include "core/vacancy.h"
#include "core/machine.h"
#include "core/tenant.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

struct vacancy *vacancy_find(const struct core *c, uint64_t id)
{
	struct vacancy *v;

	HASH_FIND(hh, c->vacancies, &id, sizeof(id), v);
	return v;
}

void vacancy_translate(const struct core *c, uint64_t *job, uint32_t *element)
{
	const struct vacancy *v = *job & VACANCY_IDS ? vacancy_find(c, *job) : NULL;

	if (!v)
		return;
	*job = v->task->element->job->id;
	*element = v->task->element->index;
}

static void drop(struct core *c, struct vacancy *v)
{
	tenant_uses(v->task, -1);
	v->task->vacancy = NULL;
	v->task->element->vacancies--;
	HASH_DEL(c->vacancies, v);
	free(v->reason);
	free(v);
}

void vacancies_drop(struct core *c, struct element *e)
{
	for (uint32_t i = 0; e->vacancies && i < e->task_count; i++)
		if (e->tasks[i].vacancy)
			drop(c, e->tasks[i].vacancy);
}

void vacancy_restore(struct core *c, struct task *t, uint64_t id)
{
	struct vacancy *v = xcalloc(1, sizeof(*v));

	v->id = id;
	v->task = t;
	t->vacancy = v;
	tenant_uses(t, 1); /* its place is its own */
	t->element->vacancies++;
	HASH_ADD(hh, c->vacancies, id, sizeof(v->id), v);
	if (id >= c->next_vacancy)
		c->next_vacancy = id + 1;
}

int fold_task_vacated(struct core *c, const Armada__TaskVacated *m, struct err *err)
{
	struct task *t = task_find(c, m->key);

	if (!t || t->state != TASK_ENDED || t->vacancy || m->vacancy < c->next_vacancy)
		return err_set(err, -EINVAL, "a task is vacated that does not run any more");
	vacancy_restore(c, t, m->vacancy);
	t->failures++;
	for (size_t i = 0; i < m->n_avoid; i++)
		avoid_add(c, t->element->job, m->avoid[i], m->avoid_until_us);
	return 0;
}

int fold_task_leased(struct core *c, const Armada__TaskLeased *m, struct err *err)
{
	struct job *j = m->key ? job_find(c, m->key->job) : NULL;
	struct element *e = j ? element_find(j, m->key->element) : NULL;
	struct node *n = core_find_node(c, m->node);
	struct task *t;

	if (!e || !n || m->key->rank >= e->task_count || m->key->attempt <= e->attempt ||
	    !e->tasks[m->key->rank].vacancy)
		return err_set(err, -EINVAL, "lease of a task that waits for no node");
	t = &e->tasks[m->key->rank];
	drop(c, t->vacancy);
	LIST_REMOVE(t, on_node);
	LIST_INSERT_HEAD(&n->tasks, t, on_node);
	t->node = n;
	t->state = TASK_LEASED;
	tenant_uses(t, 1);
	t->cause = 0;
	t->accepted = t->ready = t->released = false;
	t->exit_code = t->exit_signal = 0;
	t->start_us = t->end_us = t->sent_us = 0;
	free(t->text);
	t->text = NULL;
	t->seq = c->record.seq;
	t->attempt = e->attempt = m->key->attempt;
	return 0;
}

static Armada__TaskKey *key_of(struct core *c, const struct task *t, uint32_t attempt)
{
	Armada__TaskKey *k = arena_alloc(c->arena, sizeof(*k));

	armada__task_key__init(k);
	k->job = t->element->job->id;
	k->element = t->element->index;
	k->rank = t->rank;
	k->attempt = attempt;
	return k;
}

void task_vacate(struct core *c, struct task *t, const char *reason)
{
	Armada__TaskVacated *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_TASK_VACATED, &m);

	assert(machine_next(t->element->state, EV_REPLACE) != NEXT_NONE);
	m->key = key_of(c, t, t->attempt);
	m->vacancy = c->next_vacancy;
	m->reason = arena_strdup(c->arena, reason);
	if (c->policy->avoid_us && node_is_to_blame(t->cause)) {
		m->avoid = arena_memdup(c->arena, &t->node->name, sizeof(t->node->name));
		m->n_avoid = 1;
		m->avoid_until_us = c->now_us + c->policy->avoid_us;
	}
	emit(c, ev);
}

char *vacancies_reason(const struct element *e, struct arena *a)
{
	const struct vacancy *first = NULL;
	uint32_t n = e->vacancies;

	for (uint32_t i = 0; n && !first && i < e->task_count; i++)
		first = e->tasks[i].vacancy;
	if (!first)
		return (char *)"";
	return arena_printf(a, "%u of %u tasks wait%s for a node%s%s", n, e->task_count,
			    n == 1 ? "s" : "", first->reason ? ": " : "",
			    first->reason ? first->reason : "");
}

/* Those of its element that are to be on other nodes are where the scheduler may not know of them. */
static bool is_beside_others(const struct task *t, const struct node *n)
{
	const struct element *e = t->element;

	for (uint32_t i = 0; e->job->spec->distinct && i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED && e->tasks[i].node == n)
			return true;
	return false;
}

bool vacancy_start(struct core *c, const struct sched_decision *d)
{
	struct vacancy *v = vacancy_find(c, d->job);
	struct node *n = d->node_count == 1 && d->nodes[0] ? core_find_node(c, d->nodes[0]) : NULL;
	struct task *t = v ? v->task : NULL;
	Armada__TaskLeased *m;
	Armada__Event *ev;

	if (!t || !n || !node_takes(n) || t->element->why ||
	    machine_next(t->element->state, EV_REPLACE) == NEXT_NONE || is_beside_others(t, n) ||
	    !room_is_free(n, t))
		return false;
	ev = event_make(c, ARMADA__EVENT__KIND_TASK_LEASED, &m);
	m->key = key_of(c, t, t->element->attempt + 1);
	m->node = n->name;
	emit(c, ev);
	order_launch_task(c, t);
	return true;
}
