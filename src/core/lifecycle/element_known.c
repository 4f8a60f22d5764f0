#include "core/lifecycle/element_known.h"

#include "core/txn/emit.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static Armada__JobState true_state(const struct element *e)
{
	if (e->why)
		return JOB(COMPLETING);
	for (uint32_t i = 0; i < e->task_count && !e->start_us; i++)
		if (e->tasks[i].state == TASK_LEASED || e->tasks[i].replacement)
			return JOB(CONFIGURING);
	return JOB(RUNNING);
}

bool element_answers(struct txn *txn, const struct element *e, const struct node *n)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED && e->tasks[i].node != n &&
		    live_node_is_silent(txn->live, e->tasks[i].node))
			return false;
	return true;
}

void element_is_known(struct txn *txn, const struct element *e)
{
	Armada__ElementUnknown *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_UNKNOWN, &m);

	m->job = e->job->id;
	m->element = e->index;
	m->back = true;
	m->state = true_state(e);
	emit_event(txn, ev);
}

void element_look_again(struct txn *txn, const struct element *e)
{
	if (e->state != true_state(e) && element_answers(txn, e, NULL))
		element_is_known(txn, e);
}
