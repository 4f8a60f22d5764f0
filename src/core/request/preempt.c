/*
 * PREEMPT: a user ends running jobs, so that other jobs get the room; the ended jobs wait again.
 *
 * The effect is that of a preemption by the scheduler. Others can lease the room at once. The
 * preempted element gets its grace period, and then waits at its old place. An element that may not
 * be requeued ends as PREEMPTED. A gang of jobs is always preempted as a whole.
 */
#include "core/lifecycle/avoid.h"
#include "core/lifecycle/element.h"
#include "core/lifecycle/gang.h"
#include "core/lifecycle/hold.h"
#include "core/lifecycle/pending_lease.h"
#include "core/request/bulk.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/rights.h"

#include <inttypes.h>
#include <string.h>

struct preempt {
	struct txn *txn;
	struct bulk bulk;
	const Armada__PreemptRequest *m;
	Armada__PreemptReply reply;
	const char *text;
};

static void refuse_element(struct preempt *x, const struct element *e, const char *why)
{
	x->reply.refused++;
	bulk_problem_of(&x->bulk, e->job, e, why);
}

/* True if the class is preemptible neither for fair share nor for urgency. */
static bool class_is_safe(const struct txn *txn, const char *name)
{
	for (size_t i = 0; i < txn->policy->class_count; i++) {
		const struct sched_class *k = &txn->policy->classes[i];

		if (strcmp(k->name, name) == 0)
			return !k->fair_share_preemptible && !k->urgency_preemptible;
	}
	return false;
}

/* Why the element cannot be preempted; NULL: it can. */
static const char *obstacle(struct preempt *x, const struct element *e)
{
	if (e->why)
		return arena_printf(x->txn->arena, "is being ended already%s%s",
				    e->text ? ": " : "", e->text ? e->text : "");
	/* its node does not answer, so its room cannot be given to others */
	if (e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		return "runs on a silent node, which gets no order";
	return NULL;
}

static const char *gang_obstacle(struct preempt *x, const struct gang *g, const struct element *e)
{
	const char *why = obstacle(x, e);

	for (size_t i = 0; i < g->count && !why; i++) {
		const struct element *o = gang_element(g->members[i]);

		why = o && o->task_count ? obstacle(x, o) : NULL;
		if (why)
			why = arena_printf(x->txn->arena,
					   "is in a gang, and job %" PRIu64 " of the same gang %s",
					   o->job->id, why);
	}
	return why;
}

/* Lets the job avoid its nodes for a while, if the request named nodes. */
static void avoid_nodes(struct preempt *x, const struct element *e)
{
	const struct core_policy *p = x->txn->policy;
	const Armada__JobFilter *f = x->m->filter;
	const struct job *j = e->job;
	Armada__JobAvoids *m;
	Armada__Event *ev;
	size_t count;

	/* members of a gang of jobs avoid no nodes */
	if (!f->n_nodes || !p->avoid_us || j->gang || j->spec->no_requeue)
		return;
	ev = emit_make(x->txn, ARMADA__EVENT__KIND_JOB_AVOIDS, &m);
	m->job = j->id;
	m->nodes = avoids_with(x->txn, e, f->nodes, f->n_nodes,
			       x->txn->clock_us + j->spec->grace_ms * 1000 + p->avoid_us, &count);
	m->n_nodes = count;
	emit_event(x->txn, ev);
}

/* Holds the job unless nothing of it will wait. A pending lease always waits again. */
static void hold(struct txn *txn, const struct element *e)
{
	const struct job *j = e->job;

	if (!j->spec->no_requeue || j->waiting.total || e->lease_pending)
		job_hold_by_caller(txn, j);
}

/* Notes a reason for the time until the next round checks the job. */
static void note_reason(struct txn *txn, const struct job *j, const char *text)
{
	j = j->gang ? gang_lead(j->gang) : j;
	if (j->waiting.total)
		return;
	live_note_reason(txn->live, j, text, WHY_PREEMPTED, 0);
}

static void preempt_element(struct preempt *x, const struct element *e)
{
	const char *why = obstacle(x, e);

	if (why) {
		refuse_element(x, e, why);
		return;
	}
	x->reply.preempted++;
	if (x->m->dry_run)
		return;
	x->txn->live->by_request++;
	note_reason(x->txn, e->job, x->text);
	avoid_nodes(x, e);
	if (x->m->hold)
		hold(x->txn, e);
	if (e->lease_pending)
		pending_lease_withdraw(x->txn, e, x->text);
	else
		element_end(x->txn, e, ARMADA__END_REASON__ENDING_PREEMPT, x->text,
			    x->txn->in->caller->uid);
}

static void preempt_gang(struct preempt *x, const struct gang *g, const struct element *e)
{
	const char *why = gang_obstacle(x, g, e);

	if (why) {
		refuse_element(x, e, why);
		return;
	}
	for (size_t i = 0; i < g->count; i++) {
		const struct element *o = gang_element(g->members[i]);

		if (!o || !o->task_count)
			continue;
		x->reply.preempted++;
		x->txn->live->by_request += !x->m->dry_run;
		if (x->m->hold && !x->m->dry_run)
			hold(x->txn, o);
	}
	if (x->m->dry_run)
		return;
	note_reason(x->txn, e->job, x->text);
	gang_preempt(x->txn, g, x->text, x->txn->in->caller->uid);
}

/* True for jobs without a gang and for the first selected member of a gang, which acts for all. */
static bool speaks(struct preempt *x, const struct job *j)
{
	for (size_t i = 0; j->gang && j->gang->members[i] != j; i++) {
		const struct job *o = j->gang->members[i];
		const struct element *e = gang_element(o);

		x->bulk.work += filter_cost(x->m->filter);
		if (e && filter_job(x->txn, x->m->filter, o) && bulk_means(&x->bulk, e))
			return false;
	}
	return true;
}

/* Why the caller may not preempt the job; NULL: the caller may. */
static const char *denial(struct preempt *x, const struct job *j)
{
	struct txn *txn = x->txn;
	const struct caller *who = txn->in->caller;

	if (!rights_may(txn, who, VERB_PREEMPT, j, NULL)) {
		if (j->user->uid == who->uid)
			return "is yours, but you may not preempt in its queue; actl requeue ends "
			       "a job and requeues it";
		return arena_printf(txn->arena, "belongs to %s", j->user->name);
	}
	if (!j->spec->scavenge && class_is_safe(txn, j->spec->priority_class) &&
	    !rights_may(txn, who, VERB_PREEMPT_SAFE, j, NULL))
		return arena_printf(txn->arena,
				    "is of class %s, which is not preemptible: only an "
				    "administrator may preempt it",
				    j->spec->priority_class);
	if (x->m->hold && !rights_may(txn, who, VERB_CANCEL, j, NULL))
		return "may be preempted by you, but not held: a hold needs the right to cancel";
	return NULL;
}

static void preempt_job(struct preempt *x, const struct job *j)
{
	const char *no = denial(x, j);
	uint64_t meant = 0;

	/* from the end: with its last element the job may leave memory */
	for (size_t i = j->element_count; i-- > 0;) {
		const struct element *e = j->elements[i];

		if (!bulk_means(&x->bulk, e))
			continue;
		meant++;
		if (no)
			continue;
		if (j->gang)
			preempt_gang(x, j->gang, e);
		else
			preempt_element(x, e);
	}
	if (no && meant) {
		x->reply.denied += meant;
		bulk_problem_of(&x->bulk, j, NULL, no);
	} else if (!meant && x->m->filter->n_ids && !no) {
		x->reply.refused++;
		bulk_problem_of(&x->bulk, j, NULL, "does not run");
	}
}

static bool refused(struct txn *txn, const Armada__PreemptRequest *m)
{
	if (filter_is_empty(m->filter))
		reply_refuse(
			txn, 2,
			"nothing selected: name jobs by id, user, queue, job set, name, state, "
			"priority class or node");
	else if (bulk_refused(txn, m->filter))
		return true;
	else if (strlen(m->reason) > REASON_LONGEST)
		reply_refuse(txn, 1, "reason: longer than %d bytes", REASON_LONGEST);
	else
		return false;
	return true;
}

static const char *text_of(struct txn *txn, const Armada__PreemptRequest *m)
{
	const struct caller *who = txn->in->caller;
	const char *by = who->user ? who->user : arena_printf(txn->arena, "uid %u", who->uid);

	return arena_printf(txn->arena, "preempted by %s%s%s", by, m->reason[0] ? ": " : "",
			    m->reason);
}

void req_preempt(struct txn *txn, const Armada__PreemptRequest *m)
{
	struct preempt x = {.txn = txn, .bulk = BULK(txn, m, &x.reply), .m = m};
	const struct job *j;

	armada__preempt_reply__init(&x.reply);
	if (refused(txn, m))
		return;
	x.text = text_of(txn, m);
	if (!m->after_id)
		x.reply.missing = filter_missing(txn, m->filter, &x.reply.n_missing);
	while ((j = bulk_next(&x.bulk)))
		if (speaks(&x, j))
			preempt_job(&x, j);
	/* a round gives waiting jobs pending leases on the room now, not at the next event */
	txn->wants_round |= x.reply.preempted && !x.m->dry_run;
	reply(txn, MSG_PREEMPT_REPLY, &x.reply);
}
