/*
 * REQUEUE: ends running elements on their nodes; they wait again. This does not count as a failure.
 */
#include "core/lifecycle/element.h"
#include "core/lifecycle/hold.h"
#include "core/lifecycle/pending_lease.h"
#include "core/request/bulk.h"
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/rights.h"

#include <inttypes.h>

struct requeue {
	struct txn *txn;
	struct bulk bulk;
	const Armada__RequeueRequest *m;
	Armada__RequeueReply reply;
	const char *text;
};

static void problem(struct requeue *x, const struct element *e, const char *why)
{
	x->reply.refused++;
	bulk_problem_of(&x->bulk, e->job, e, why);
}

static void requeue_element(struct requeue *x, const struct element *e)
{
	if (e->job->spec->no_requeue && !e->lease_pending) {
		problem(x, e, "was submitted with --no-requeue");
	} else if (e->why == ARMADA__END_REASON__ENDING_CANCEL) {
		problem(x, e, "is being cancelled");
	} else if (e->why == ARMADA__END_REASON__ENDING_PREEMPT ||
		   e->why == ARMADA__END_REASON__ENDING_REQUEUE) {
		x->reply.waiting++; /* it will wait soon */
	} else if (e->why) {
		problem(x, e, "is being ended");
	} else if (e->lease_pending) {
		x->reply.requeued++;
		pending_lease_withdraw(x->txn, e, x->text);
	} else {
		x->reply.requeued++;
		element_end(x->txn, e, ARMADA__END_REASON__ENDING_REQUEUE, x->text,
			    x->txn->in->caller->uid);
	}
}

/* The number of waiting elements that the filter selects; 0 if it selects by state. */
static uint64_t count_waiting(const struct requeue *x, const struct job *j)
{
	struct rangeset which = {0};
	uint64_t n;

	if (x->m->filter->n_states)
		return 0;
	bulk_waiting(&x->bulk, j, &which);
	n = which.total;
	rangeset_done(&which);
	return n;
}

static void requeue_job(struct requeue *x, const struct job *j)
{
	uint64_t before = x->reply.requeued, waiting = count_waiting(x, j);

	if (!rights_may(x->txn, x->txn->in->caller, VERB_CANCEL, j, NULL)) {
		if (x->m->filter->n_ids)
			bulk_deny(&x->bulk, j);
		return;
	}
	x->reply.waiting += waiting;
	for (size_t i = 0; i < j->element_count; i++)
		if (bulk_means(&x->bulk, j->elements[i]))
			requeue_element(x, j->elements[i]);
	if (x->m->hold && (waiting || x->reply.requeued > before))
		job_hold_by_caller(x->txn, j);
}

void req_requeue(struct txn *txn, const Armada__RequeueRequest *m)
{
	struct requeue x = {.txn = txn, .bulk = BULK(txn, m, &x.reply), .m = m};
	const struct job *j;

	armada__requeue_reply__init(&x.reply);
	if (bulk_refused(txn, m->filter))
		return;
	x.text = arena_printf(txn->arena, "requeued by %s",
			      txn->in->caller->user ? txn->in->caller->user : "its owner");
	if (!m->after_id)
		x.reply.missing = filter_missing(txn, m->filter, &x.reply.n_missing);
	while ((j = bulk_next(&x.bulk)))
		requeue_job(&x, j);
	reply(txn, MSG_REQUEUE_REPLY, &x.reply);
}
