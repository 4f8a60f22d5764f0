/*
 * SIGNAL_STEP: sends a signal to a running step, or ends it.
 *
 * Input: the id of a step, and a signal; none ends the step. Output: a signal order with the number of the
 * step for each task in which it runs, or a refusal. Nothing is stored: the nodes report the end of the step.
 * The orders are not repeated, so a signal can be lost with a connection.
 */
#include "core/lifecycle/orders.h"
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/txn/steps.h"
#include "core/view/rights.h"

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NOT_FOUND = 3, EXIT_DENIED = 4, EXIT_AGAIN = 75 };
enum { SIGNAL_LAST = 64 };

/* NULL: the request was refused. */
static const struct element *find_element(struct txn *txn, const Armada__SignalStepRequest *m)
{
	const struct job *j = job_find(txn->state, m->job);
	const struct element *e = j ? element_find(j, m->element) : NULL;

	if (!j || !rights_sees(txn, j))
		reply_refuse(txn, EXIT_NOT_FOUND, "job %" PRIu64 " does not exist, or has ended",
			     m->job);
	else if (!rights_may(txn, txn->in->caller, VERB_STEP, j, NULL))
		reply_refuse(txn, EXIT_DENIED,
			     "job %" PRIu64 " belongs to %s: only the owner may signal its steps",
			     m->job, j->user->name);
	else if (j->spec->array && !m->has_element)
		reply_refuse(txn, EXIT_USAGE,
			     "job %" PRIu64 " is an array: name the element, as in %" PRIu64
			     "_7.%u",
			     m->job, m->job, m->step);
	else if (!e || !e->task_count)
		reply_refuse(txn, EXIT_REFUSED, "job %" PRIu64 " does not run, so it has no steps",
			     m->job);
	else if (m->signal < 0 || m->signal > SIGNAL_LAST)
		reply_refuse(txn, EXIT_USAGE, "signal: %d is not a signal: expected 1 to %d",
			     m->signal, SIGNAL_LAST);
	else
		return e;
	return NULL;
}

void req_signal_step(struct txn *txn, const Armada__SignalStepRequest *m)
{
	Armada__SignalStepReply r = ARMADA__SIGNAL_STEP_REPLY__INIT;
	const struct element *e = find_element(txn, m);
	const struct step *s = e ? step_find(steps_of(txn, e), m->step) : NULL;

	if (!e)
		return;
	for (uint32_t i = 0; s && i < s->listed; i++) {
		const struct step_task *x = &s->list[i];
		const struct task *t = x->rank < e->task_count ? &e->tasks[x->rank] : NULL;

		if (!t || !step_task_is_open(x) || !live_node(txn->live, t->node)->conn ||
		    !live_node(txn->live, t->node)->steps)
			continue;
		order_signal_step(txn, t, m->signal, order_step_number(s->number, x->layer));
		r.tasks++;
	}
	if (!s)
		reply_refuse(txn, EXIT_NOT_FOUND,
			     "job %" PRIu64 " has no step %u, or it ended long ago", m->job,
			     m->step);
	else if (!s->open)
		reply_refuse(txn, EXIT_REFUSED, "step %u of job %" PRIu64 " has ended", m->step,
			     m->job);
	else if (!r.tasks)
		reply_refuse(txn, EXIT_AGAIN,
			     "the nodes of step %u of job %" PRIu64 " are not connected", m->step,
			     m->job);
	else
		reply(txn, MSG_SIGNAL_STEP_REPLY, &r);
}
