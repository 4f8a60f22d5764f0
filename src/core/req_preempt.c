/*
 * PREEMPT: what runs is ended by somebody's wish, so that others may have the room, and waits again.
 *
 * It is what the scheduler does when it preempts: the room is given away at once, whoever is told to end
 * gets its grace, and then it waits at its old place; or ends as PREEMPTED, where it may not be requeued.
 * A gang of jobs goes whole, however few of it are meant.
 */
#include "core/gang.h"
#include "core/node.h"
#include "core/portion.h"
#include "util/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct preempt {
	struct core *core;
	const Armada__PreemptRequest *m;
	Armada__PreemptReply reply;
	const char *text;
	int64_t work;
};

static void add_problem(struct preempt *x, const struct job *j, const struct element *e,
			const char *why)
{
	problem_add(x->core, &x->reply.problems, &x->reply.n_problems, "job %s %s",
		    problem_job(x->core, j, e), why);
}

static void refuse_element(struct preempt *x, const struct element *e, const char *why)
{
	x->reply.refused++;
	add_problem(x, e->job, e, why);
}

/* Neither by fair share nor by urgency: what runs in such a class is promised to run on. */
static bool class_is_safe(const struct core *c, const char *name)
{
	for (size_t i = 0; i < c->policy->class_count; i++) {
		const struct sched_class *k = &c->policy->classes[i];

		if (strcmp(k->name, name) == 0)
			return !k->fair_share_preemptible && !k->urgency_preemptible;
	}
	return false;
}

/* Why this one cannot be preempted; NULL: it can. */
static const char *obstacle(struct preempt *x, const struct element *e)
{
	if (e->why)
		return arena_printf(x->core->arena, "is being ended already%s%s",
				    e->text ? ": " : "", e->text ? e->text : "");
	/* its tasks answer no order: their room cannot be given to anybody */
	if (e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		return "runs on a node that is silent, and cannot be told to end it";
	return NULL;
}

static const char *gang_obstacle(struct preempt *x, const struct gang *g, const struct element *e)
{
	const char *why = obstacle(x, e);

	for (size_t i = 0; i < g->count && !why; i++) {
		const struct element *o = gang_element(g->members[i]);

		why = o && o->task_count ? obstacle(x, o) : NULL;
		if (why)
			why = arena_printf(x->core->arena,
					   "is of a gang that goes whole, and job %" PRIu64
					   " of it %s",
					   o->job->id, why);
	}
	return why;
}

/* Where it was just taken from it is not to come back to at once, if those were the nodes meant. */
static void avoid_nodes(struct preempt *x, const struct element *e)
{
	const struct core_policy *p = x->core->policy;
	const Armada__JobFilter *f = x->m->filter;
	struct job *j = e->job;
	Armada__JobAvoids *m;
	Armada__Event *ev;
	size_t count;

	/* of a gang of jobs no member avoids anything */
	if (!f->n_nodes || !p->avoid_us || j->gang || j->spec->no_requeue)
		return;
	ev = event_make(x->core, ARMADA__EVENT__KIND_JOB_AVOIDS, &m);
	m->job = j->id;
	m->nodes = avoids_with(x->core, e, f->nodes, f->n_nodes,
			       x->core->now_us + j->spec->grace_ms * 1000 + p->avoid_us, &count);
	m->n_nodes = count;
	emit(x->core, ev);
}

/* Unless nothing of its job will wait: what is only promised does, whatever it is. */
static void hold(struct core *c, const struct element *e)
{
	const struct job *j = e->job;

	if (!j->spec->no_requeue || j->waiting.total || e->promised)
		job_hold_by_caller(c, j);
}

/* What it will be waiting for again, until a round has looked at it. */
static void note_reason(struct job *j, const char *text)
{
	j = j->gang ? gang_lead(j->gang) : j;
	if (j->waiting.total)
		return;
	free(j->reason);
	j->reason = xstrdup(text);
	j->why = WHY_PREEMPTED;
	j->expected_us = 0;
}

static void preempt_element(struct preempt *x, struct element *e)
{
	const char *why = obstacle(x, e);

	if (why) {
		refuse_element(x, e, why);
		return;
	}
	x->reply.preempted++;
	if (x->m->dry_run)
		return;
	note_reason(e->job, x->text);
	avoid_nodes(x, e);
	if (x->m->hold)
		hold(x->core, e);
	if (e->promised)
		promise_withdraw(x->core, e, x->text);
	else
		element_end(x->core, e, ARMADA__END_REASON__ENDING_PREEMPT, x->text,
			    x->core->in->caller->uid);
}

static void preempt_gang(struct preempt *x, struct gang *g, const struct element *e)
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
		if (x->m->hold && !x->m->dry_run)
			hold(x->core, o);
	}
	if (x->m->dry_run)
		return;
	note_reason(e->job, x->text);
	gang_preempt(x->core, g, x->text, x->core->in->caller->uid);
}

static bool is_meant(const struct preempt *x, const struct job *j, const struct element *e)
{
	return e->task_count && filter_element(x->m->filter, j, e);
}

/* Of a gang whoever is meant and comes first speaks for all. */
static bool speaks(struct preempt *x, const struct job *j)
{
	for (size_t i = 0; j->gang && j->gang->members[i] != j; i++) {
		const struct job *o = j->gang->members[i];
		const struct element *e = gang_element(o);

		x->work++;
		if (e && filter_job(x->core, x->m->filter, o) && is_meant(x, o, e))
			return false;
	}
	return true;
}

/* Words for who may not; NULL: they may. */
static const char *denial(struct preempt *x, const struct job *j)
{
	struct core *c = x->core;
	const struct caller *who = c->in->caller;

	if (!may(c, who, VERB_PREEMPT, j, NULL)) {
		if (j->user->uid == who->uid)
			return "is yours, but preempting is for who may preempt in its queue: "
			       "actl requeue ends it and lets it wait again";
		return arena_printf(c->arena, "belongs to %s", j->user->name);
	}
	if (class_is_safe(c, j->spec->priority_class) && !may(c, who, VERB_PREEMPT_SAFE, j, NULL))
		return arena_printf(c->arena,
				    "is of class %s, which is not preemptible: only an "
				    "administrator may preempt it",
				    j->spec->priority_class);
	if (x->m->hold && !may(c, who, VERB_CANCEL, j, NULL))
		return "may be preempted by you, but not held: that takes the right to cancel";
	return NULL;
}

static void preempt_job(struct preempt *x, struct job *j)
{
	const char *no = denial(x, j);
	uint64_t meant = 0;

	/* from the end: where it was the last of it, its job may be gone */
	for (size_t i = j->element_count; i-- > 0;) {
		struct element *e = j->elements[i];

		if (!is_meant(x, j, e))
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
		add_problem(x, j, NULL, no);
	} else if (!meant && x->m->filter->n_ids && !no) {
		x->reply.refused++;
		add_problem(x, j, NULL, "does not run");
	}
}

static bool refused(struct core *c, const Armada__PreemptRequest *m)
{
	if (filter_is_empty(m->filter))
		refuse(c, 2,
		       "nothing selected: name jobs by id, user, queue, job set, name, state, "
		       "priority class or node");
	else if (filter_pieces(m->filter) > FILTER_PIECES)
		refuse(c, 1, "elements: more than %d pieces are named", FILTER_PIECES);
	else if (strlen(m->reason) > REASON_LONGEST)
		refuse(c, 1, "reason: longer than %d bytes", REASON_LONGEST);
	else
		return false;
	return true;
}

static const char *text_of(struct core *c, const Armada__PreemptRequest *m)
{
	const struct caller *who = c->in->caller;
	const char *by = who->user ? who->user : arena_printf(c->arena, "uid %u", who->uid);

	return arena_printf(c->arena, "preempted by %s%s%s", by, m->reason[0] ? ": " : "",
			    m->reason);
}

void req_preempt(struct core *c, const void *message)
{
	struct preempt x = {.core = c, .m = message};
	const Armada__JobFilter *f = x.m->filter;
	int64_t cost = filter_cost(f);
	uint64_t after = 0;

	armada__preempt_reply__init(&x.reply);
	if (refused(c, x.m))
		return;
	x.text = text_of(c, x.m);
	if (!x.m->after_id)
		x.reply.missing = filter_missing(c, f, &x.reply.n_missing);
	for (size_t i = job_after(c, x.m->after_id); i < c->job_slots; i++) {
		struct job *j = c->jobs[i];

		if (after && portion_is_full(c, x.work)) {
			x.reply.next_after_id = after;
			break;
		}
		after = c->job_ids[i];
		x.work += cost;
		if (j && filter_job(c, f, j) && speaks(&x, j))
			preempt_job(&x, j);
	}
	/* whoever waits for the room is promised it now, not when something else happens */
	c->wants_round |= x.reply.preempted && !x.m->dry_run;
	reply(c, MSG_PREEMPT_REPLY, &x.reply);
}
