#include "core/lifecycle/task_replacement.h"

#include "core/lifecycle/element.h"
#include "core/lifecycle/orders.h"
#include "core/lifecycle/pending_lease.h"
#include "core/state/state_machine.h"
#include "core/state/task_replacement.h"
#include "core/txn/emit.h"

#include <assert.h>

void task_replacement_vacate(struct txn *txn, const struct task *t, const char *reason)
{
	Armada__TaskVacated *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_VACATED, &m);

	assert(machine_next(t->element->state, EV_REPLACE) != NEXT_NONE);
	m->key = task_key_message(t, t->attempt, txn->arena);
	m->replacement = t->extra ? 0 : txn->state->next_replacement;
	m->optional = t->extra && spec_task_failure(t->element->job->spec, t->group) !=
					  ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK;
	m->reason = arena_strdup(txn->arena, reason);
	if (txn->policy->avoid_us && node_is_to_blame(t->cause)) {
		m->avoid = arena_memdup(txn->arena, &t->node->name, sizeof(t->node->name));
		m->n_avoid = 1;
		m->avoid_until_us = txn->clock_us + txn->policy->avoid_us;
	}
	emit_event(txn, ev);
}

/*
 * True if the job needs distinct nodes and another task of the element is on n. The scheduler
 * treats the replacement as a job of its own, so it may not know where the other tasks are.
 */
static bool is_beside_others(const struct task *t, const struct node *n)
{
	const struct element *e = t->element;

	for (uint32_t i = 0; e->job->spec->distinct && i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED && e->tasks[i].node == n)
			return true;
	return false;
}

bool task_replacement_start(struct txn *txn, const struct sched_decision *d)
{
	const struct task_replacement *v = task_replacement_find(txn->state, d->job);
	const struct node *n =
		d->node_count == 1 && d->nodes[0] ? node_find(txn->state, d->nodes[0]) : NULL;
	const struct task *t = v ? v->task : NULL;
	Armada__TaskLeased *m;
	Armada__Event *ev;

	if (!t || !n || !node_takes(txn, n) || t->element->why ||
	    machine_next(t->element->state, EV_REPLACE) == NEXT_NONE || is_beside_others(t, n) ||
	    !room_is_free(n, t))
		return false;
	ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_LEASED, &m);
	m->key = task_key_message(t, t->element->attempt + 1, txn->arena);
	m->node = n->name;
	emit_event(txn, ev);
	order_launch_task(txn, t);
	return true;
}
