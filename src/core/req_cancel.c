/* CANCEL: waiting elements end at once, active ones are ended on their nodes. */
#include "core/machine.h"
#include "core/portion.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

enum {
	PIECES_AT_ONCE = 2000,
	SIGNALS_AT_ONCE = 2000,
	SIGNAL_LAST = 64,
};

/* As next_after_id: from the first job on; 0 means that all is done. */
#define FROM_THE_START UINT64_MAX

struct cancel {
	struct core *core;
	const Armada__CancelRequest *m;
	Armada__CancelReply reply;
	const char *reason;
	uint64_t orders; /* of signals */
};

static bool wants_state(const Armada__JobFilter *f, int state)
{
	for (size_t i = 0; i < f->n_states; i++)
		if ((int)f->states[i] == state)
			return true;
	return f->n_states == 0;
}

/* What of the waiting elements is named. */
static void intersect(const struct rangeset *waiting, const struct rangeset *named,
		      struct rangeset *ret_which)
{
	for (size_t i = 0, k = 0; i < named->count && k < waiting->count;) {
		struct range a = named->ranges[i], b = waiting->ranges[k];
		uint32_t lo = a.lo > b.lo ? a.lo : b.lo, hi = a.hi < b.hi ? a.hi : b.hi;

		if (lo <= hi)
			rangeset_add(ret_which, lo, hi);
		if (a.hi < b.hi)
			i++;
		else
			k++;
	}
}

/* False when more of them are left than one record should hold. */
static bool cancel_waiting(struct cancel *x, struct job *j, const struct rangeset *named, bool all)
{
	struct rangeset which = {0};
	bool trimmed;

	if (x->m->filter->n_nodes || !wants_state(x->m->filter, ARMADA__JOB_STATE__JOB_PENDING))
		return true;
	if (all)
		rangeset_copy(&which, &j->waiting);
	else
		intersect(&j->waiting, named, &which);
	trimmed = rangeset_keep_last(&which, PIECES_AT_ONCE);
	x->reply.matched += which.total;
	x->reply.cancelled += which.total;
	if (which.total)
		waiting_end(x->core, j, &which, x->reason);
	rangeset_done(&which);
	return !trimmed;
}

static void cancel_active(struct cancel *x, struct job *j, const struct rangeset *named, bool all)
{
	/* from the end: a promise ends at once, and its job with the last of its elements */
	for (size_t i = j->element_count; i-- > 0;) {
		struct element *e = j->elements[i];

		if (!e->task_count || (!all && !rangeset_contains(named, e->index)) ||
		    !filter_element(x->m->filter, j, e))
			continue;
		x->reply.matched++;
		if (e->promised) {
			x->reply.cancelled++;
			promise_cancel(x->core, e, x->reason);
			continue;
		}
		x->reply.ending++;
		if (e->why != ARMADA__END_REASON__ENDING_CANCEL)
			element_end(x->core, e, ARMADA__END_REASON__ENDING_CANCEL, x->reason,
				    x->core->in->caller->uid);
	}
}

/* Only what was asked for by id is worth a word where it cannot be done. */
static void note_waiting(struct cancel *x, const struct job *j, const struct rangeset *named,
			 bool all)
{
	struct rangeset which = {0};

	if (x->m->filter->n_nodes || !wants_state(x->m->filter, ARMADA__JOB_STATE__JOB_PENDING))
		return;
	intersect(&j->waiting, all ? &j->waiting : named, &which);
	x->reply.matched += which.total;
	x->reply.not_running += which.total;
	if (which.total && x->m->filter->n_ids)
		problem_add(x->core, &x->reply.problems, &x->reply.n_problems,
			    "job %" PRIu64 ": %" PRIu64 " of it wait%s: a signal is for what runs",
			    j->id, which.total, which.total == 1 ? "s" : "");
	rangeset_done(&which);
}

static void signal_job(struct cancel *x, struct job *j, const struct rangeset *named, bool all)
{
	note_waiting(x, j, named, all);
	for (size_t i = 0; i < j->element_count; i++) {
		struct element *e = j->elements[i];
		const char *gap;
		uint32_t sent;

		if (!e->task_count || (!all && !rangeset_contains(named, e->index)) ||
		    !filter_element(x->m->filter, j, e))
			continue;
		sent = element_signal(x->core, e, x->m->signal, x->m->signal_script, &gap);
		x->orders += sent;
		x->reply.matched++;
		x->reply.signalled += sent > 0;
		x->reply.not_running += !sent;
		if (gap && (sent || x->m->filter->n_ids))
			problem_add(x->core, &x->reply.problems, &x->reply.n_problems, "%s", gap);
	}
}

static void deny(struct cancel *x, const struct job *j)
{
	x->reply.denied++;
	problem_add(x->core, &x->reply.problems, &x->reply.n_problems,
		    "job %" PRIu64 " belongs to %s", j->id, j->user->name);
}

/* False when a part of the job is left for another record. */
static bool cancel_job(struct cancel *x, struct job *j)
{
	struct rangeset named = {0};
	bool all = filter_elements(x->m->filter, j->id, &named), whole = true;
	uint64_t id = j->id;

	if (!may(x->core, x->core->in->caller, VERB_CANCEL, j, NULL)) {
		/* of others' jobs only those asked for by id or owner are worth a word */
		if (x->m->filter->n_ids || x->m->filter->n_users)
			deny(x, j);
	} else if (x->m->signal) {
		signal_job(x, j, &named, all);
	} else {
		whole = cancel_waiting(x, j, &named, all);
		/* which may have been the last of it */
		j = job_find(x->core, id);
		if (whole && j)
			cancel_active(x, j, &named, all);
	}
	rangeset_done(&named);
	return whole;
}

static bool refused(struct core *c, const Armada__CancelRequest *m)
{
	if (filter_is_empty(m->filter))
		refuse(c, 2, "nothing selected: name jobs by id, user, queue, job set or state");
	else if (filter_pieces(m->filter) > FILTER_PIECES)
		refuse(c, 1, "elements: more than %d pieces are named", FILTER_PIECES);
	else if (m->signal < 0 || m->signal > SIGNAL_LAST)
		refuse(c, 1, "signal: %d is none: expected 1 to %d", m->signal, SIGNAL_LAST);
	else if (strlen(m->reason) > REASON_LONGEST)
		refuse(c, 1, "reason: longer than %d bytes", REASON_LONGEST);
	else
		return false;
	return true;
}

/* The id before the first that may match. */
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

/* The slots may move as jobs leave: it goes on from the id. */
static void cancel_jobs(struct cancel *x, uint64_t after)
{
	struct core *c = x->core;
	int64_t work = 0, cost = filter_cost(x->m->filter);

	for (size_t at = job_after(c, after); at < c->job_slots; at = job_after(c, after)) {
		uint64_t id = c->job_ids[at];
		struct job *j = c->jobs[at];

		if (portion_is_full(c, work) || x->orders > SIGNALS_AT_ONCE ||
		    (j && filter_job(c, x->m->filter, j) && !cancel_job(x, j))) {
			x->reply.next_after_id = after ? after : FROM_THE_START;
			return;
		}
		after = id;
		work += cost;
	}
}

void req_cancel(struct core *c, const void *message)
{
	struct cancel x = {.core = c, .m = message};

	armada__cancel_reply__init(&x.reply);
	if (refused(c, x.m))
		return;
	x.reason = x.m->reason[0]
			   ? x.m->reason
			   : arena_printf(c->arena, "cancelled by %s",
					  c->in->caller->user ? c->in->caller->user : "its owner");
	if (!x.m->after_id)
		x.reply.missing = filter_missing(c, x.m->filter, &x.reply.n_missing);
	cancel_jobs(&x, start_of(x.m));
	reply(c, MSG_CANCEL_REPLY, &x.reply);
}
