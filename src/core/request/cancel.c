/*
 * CANCEL: ends or signals jobs.
 *
 * Waiting elements and pending leases end at once. Active elements get kill orders and end when
 * their nodes report it. With a signal number the request signals running tasks instead. Input: a
 * filter. Output: counts, a few sentences, and next_after_id if the request needs another record.
 *
 * Caveat: one job may have more waiting ranges than a record should hold. Then the same job comes
 * again with the next portion.
 */
#include "core/lifecycle/element.h"
#include "core/lifecycle/pending_lease.h"
#include "core/lifecycle/signal.h"
#include "core/request/bulk.h"
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/rights.h"
#include "util/plural.h"

#include <string.h>

enum {
	PIECES_AT_ONCE = 2000,
	SIGNALS_AT_ONCE = 2000,
	SIGNAL_LAST = 64,
};

/* A value of next_after_id: ask again from the first job. 0 means that all is done. */
#define FROM_THE_START UINT64_MAX

struct cancel {
	struct txn *txn;
	struct bulk bulk;
	const Armada__CancelRequest *m;
	Armada__CancelReply reply;
	const char *reason;
	uint64_t orders; /* signal orders so far */
};

/* False if more waiting ranges are left than one record should hold. */
static bool cancel_waiting(struct cancel *x, const struct job *j)
{
	struct rangeset which = {0};
	bool trimmed;

	bulk_waiting(&x->bulk, j, &which);
	trimmed = rangeset_keep_last(&which, PIECES_AT_ONCE);
	x->reply.matched += which.total;
	x->reply.cancelled += which.total;
	if (which.total)
		waiting_end(x->txn, j, &which, x->reason);
	rangeset_done(&which);
	return !trimmed;
}

static void cancel_active(struct cancel *x, const struct job *j)
{
	/* from the end: a pending lease ends at once, and with the last element its job leaves */
	for (size_t i = j->element_count; i-- > 0;) {
		const struct element *e = j->elements[i];

		if (!bulk_means(&x->bulk, e))
			continue;
		x->reply.matched++;
		if (e->lease_pending) {
			x->reply.cancelled++;
			pending_lease_cancel(x->txn, e, x->reason);
			continue;
		}
		x->reply.ending++;
		if (e->why != ARMADA__END_REASON__ENDING_CANCEL)
			element_end(x->txn, e, ARMADA__END_REASON__ENDING_CANCEL, x->reason,
				    x->txn->in->caller->uid);
	}
}

/* Counts the waiting elements, which get no signal. A sentence follows only if ids were given. */
static void note_waiting(struct cancel *x, const struct job *j)
{
	struct rangeset which = {0};

	bulk_waiting(&x->bulk, j, &which);
	x->reply.matched += which.total;
	x->reply.not_running += which.total;
	if (which.total && x->m->filter->n_ids)
		bulk_problem(&x->bulk,
			     "job %" PRIu64 ": %" PRIu64 " waiting element%s got no signal", j->id,
			     which.total, plural(which.total, "", "s"));
	rangeset_done(&which);
}

static void signal_job(struct cancel *x, const struct job *j)
{
	note_waiting(x, j);
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];
		const char *gap;
		uint32_t sent;

		if (!bulk_means(&x->bulk, e))
			continue;
		sent = element_signal(x->txn, e, x->m->signal, x->m->signal_script, &gap);
		x->orders += sent;
		x->bulk.is_full = x->orders > SIGNALS_AT_ONCE;
		x->reply.matched++;
		x->reply.signalled += sent > 0;
		x->reply.not_running += !sent;
		if (gap && (sent || x->m->filter->n_ids))
			bulk_problem(&x->bulk, "%s", gap);
	}
}

/* False if a part of the job is left for another record. */
static bool cancel_job(struct cancel *x, const struct job *j)
{
	uint64_t id = j->id;
	bool whole = true;

	if (!rights_may(x->txn, x->txn->in->caller, VERB_CANCEL, j, NULL)) {
		/* other users' jobs are reported only if the request names ids or users */
		if (x->m->filter->n_ids || x->m->filter->n_users)
			bulk_deny(&x->bulk, j);
	} else if (x->m->signal) {
		signal_job(x, j);
	} else {
		whole = cancel_waiting(x, j);
		/* the job has left memory if these were its last elements */
		j = job_find(x->txn->state, id);
		if (whole && j)
			cancel_active(x, j);
	}
	return whole;
}

static bool refused(struct txn *txn, const Armada__CancelRequest *m)
{
	if (bulk_refused(txn, m->filter))
		return true;
	if (m->signal < 0 || m->signal > SIGNAL_LAST)
		reply_refuse(txn, 1, "signal: %d is not a signal: expected 1 to %d", m->signal,
			     SIGNAL_LAST);
	else if (strlen(m->reason) > REASON_LONGEST)
		reply_refuse(txn, 1, "reason: longer than %d bytes", REASON_LONGEST);
	else
		return false;
	return true;
}

/* The id before the first job that may match. */
static uint64_t start_of(const Armada__CancelRequest *m)
{
	uint64_t first = m->filter->n_ids ? UINT64_MAX : 0;

	if (m->after_id)
		return m->after_id == FROM_THE_START ? 0 : m->after_id;
	for (size_t i = 0; i < m->filter->n_ids; i++)
		if (m->filter->ids[i]->first < first)
			first = m->filter->ids[i]->first;
	return first ? first - 1 : 0;
}

void req_cancel(struct txn *txn, const Armada__CancelRequest *m)
{
	struct cancel x = {.txn = txn, .bulk = BULK(txn, m, &x.reply), .m = m};
	const struct job *j;

	armada__cancel_reply__init(&x.reply);
	if (refused(txn, x.m))
		return;
	x.reason = arena_printf(txn->arena, "cancelled by %s%s%s",
				txn->in->caller->user ? txn->in->caller->user : "its owner",
				x.m->reason[0] ? ": " : "", x.m->reason);
	if (!x.m->after_id)
		x.reply.missing = filter_missing(txn, x.m->filter, &x.reply.n_missing);
	x.bulk.after = start_of(x.m);
	while ((j = bulk_next(&x.bulk))) {
		if (cancel_job(&x, j))
			continue;
		x.reply.next_after_id = x.bulk.before ? x.bulk.before : FROM_THE_START;
		break;
	}
	reply(txn, MSG_CANCEL_REPLY, &x.reply);
}
