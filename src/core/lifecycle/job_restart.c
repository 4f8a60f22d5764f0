#include "core/lifecycle/job_restart.h"

#include "core/lifecycle/element.h"
#include "core/lifecycle/pending_lease.h"
#include "core/txn/effects.h"
#include "core/txn/emit.h"
#include "sched/why.h"

void job_restart(struct txn *txn, const struct job *j, const Armada__JobSpec *spec,
		 const char *text)
{
	uint64_t id = j->id;
	Armada__JobRestarting *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_RESTARTING, &m);

	m->job = id;
	m->spec = (Armada__JobSpec *)spec;
	m->by_uid = txn->in->caller->uid;
	emit_event(txn, ev);
	/* an element may end at once, and the last one makes the change */
	for (size_t i = j->element_count; i-- > 0;) {
		const struct element *e = j->elements[i];

		if (e->lease_pending)
			pending_lease_withdraw(txn, e, text);
		else if (e->task_count && !e->why)
			element_end(txn, e, ARMADA__END_REASON__ENDING_REQUEUE, text,
				    txn->in->caller->uid);
		if (!(j = job_find(txn->state, id)))
			return;
	}
	job_restart_settle(txn, id);
}

void job_restart_settle(struct txn *txn, uint64_t job)
{
	const struct job *j = job_find(txn->state, job);
	Armada__JobUpdated *m;
	Armada__Event *ev;

	if (!j || !j->next || running_elements(j))
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_UPDATED, &m);
	m->job = job;
	m->spec = (Armada__JobSpec *)spec_open(txn, j->next, txn->arena);
	emit_event(txn, ev);
	live_note_reason(txn->live, j, "it was restarted with a new specification", WHY_RESTARTING,
			 0);
}

bool job_may_requeue(const struct job *j)
{
	return !(j->next ? j->next : j->spec)->no_requeue;
}
