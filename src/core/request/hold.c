/* HOLD: holds or releases waiting jobs. */
#include "core/lifecycle/hold.h"
#include "core/lifecycle/pending_lease.h"
#include "core/request/bulk.h"
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"
#include "core/view/wait_text.h"

/* Withdraws the pending leases of the job: they have not started, so they are held too. */
static void take_back(struct txn *txn, const struct job *j)
{
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->lease_pending)
			pending_lease_withdraw(txn, j->elements[i],
					       "held before its room was free");
}

static void change(struct bulk *b, const struct job *j, const Armada__HoldRequest *m,
		   Armada__HoldReply *r)
{
	struct txn *txn = b->txn;
	bool was = j->held;
	enum sched_why why;

	if (!m->release)
		take_back(txn, j);
	if (!j->waiting.total || (m->release && !j->held))
		return;
	if (m->release && !hold_may_release(txn, j)) {
		r->denied++;
		bulk_problem(b, "job %" PRIu64 " is %s", j->id,
			     wait_text_held(j, txn->arena, &why));
		return;
	}
	if (m->release)
		job_release(txn, j);
	else
		job_hold_by_caller(txn, j);
	r->changed += j->held != was;
}

void req_hold(struct txn *txn, const Armada__HoldRequest *m)
{
	Armada__HoldReply r = ARMADA__HOLD_REPLY__INIT;
	struct bulk b = BULK(txn, m, &r);
	const struct job *j;

	if (bulk_refused(txn, m->filter))
		return;
	while ((j = bulk_next(&b)))
		if (rights_may(txn, txn->in->caller, VERB_CANCEL, j, NULL))
			change(&b, j, m, &r);
		else if (m->filter->n_ids)
			bulk_deny(&b, j);
	reply(txn, MSG_HOLD_REPLY, &r);
}
