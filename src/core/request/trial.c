/*
 * SUBMIT with test_only (trial.h).
 *
 * The scheduler answers when the job would start. It gets a record as if the job were submitted, under
 * an id that no job has, and with the queue of the user if that does not exist yet. Its answer comes
 * back as INPUT_TRIED. Jobs that it would not try are answered here: they are held, or wait for other
 * jobs or for their begin time.
 */
#include "core/request/trial.h"
#include "core/admission/dependencies.h"
#include "core/admission/user_queue.h"
#include "core/request/request.h"
#include "core/txn/effects.h"
#include "core/txn/emit.h"
#include "core/txn/job_text.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"

#include <inttypes.h>

static char *note_on(const struct txn *txn, const Armada__JobSpec *spec)
{
	const struct queue *q = queue_find(txn->state, spec->queue);

	return arena_printf(txn->arena,
			    "would be accepted in queue %s%s%s, where %" PRIu64
			    " elements wait and %" PRIu64 " run",
			    spec->queue, spec->account[0] ? " for account " : "", spec->account,
			    q ? q->waiting : 0, q ? q->active : 0);
}

/* Why the scheduler would not try the job; NULL: it would. */
static const char *untried(struct txn *txn, const Armada__JobSpec *spec)
{
	Armada__JobWaits *waits = dependencies_now(txn, spec, NULL, txn->in->caller->uid);

	if (spec->hold)
		return "it is held until it is released";
	if (!dependencies_are_met(txn, waits))
		return spec->n_dependencies ? "it waits for other jobs"
					    : "its begin time has not come yet";
	return spec->gang_id[0] ? "it starts together with the other jobs of its gang" : NULL;
}

static void add_event(struct txn *txn, Armada__Record *record, Armada__Event *ev)
{
	if (!record->events)
		record->events = arena_zalloc(txn->arena, 2, sizeof(*record->events));
	record->events[record->n_events++] = ev;
}

/* The events of req_submit for the scheduler. The program and its arguments do not matter to it. */
static void make_record(struct txn *txn, Armada__JobSpec *spec, Armada__Record *ret)
{
	const struct caller *who = txn->in->caller;
	Armada__JobSubmitted *s;
	Armada__QueueSet *set;
	Armada__Event *ev;

	armada__record__init(ret);
	ret->wall_us = txn->in->wall_us;
	if (!queue_find(txn->state, spec->queue)) {
		ev = emit_make(txn, ARMADA__EVENT__KIND_QUEUE_SET, &set);
		set->spec = user_queue_spec(txn, spec->queue, txn->arena);
		add_event(txn, ret, ev);
	}
	dependencies_strip(spec);
	spec->n_args = 0;
	for (size_t i = 0; i < spec->n_groups; i++)
		spec->groups[i]->n_args = 0;
	ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_SUBMITTED, &s);
	s->id = SCHED_TRIAL_ID;
	s->spec = spec;
	s->uid = who->uid;
	s->user = (char *)who->user;
	add_event(txn, ret, ev);
}

static void ask_scheduler(struct txn *txn, Armada__JobSpec *spec)
{
	struct effect *e = effect_later(txn, EFFECT_EXPLAIN);
	Armada__Record record;
	struct buf packed CLEANUP_BUF = {0};

	e->text = note_on(txn, spec);
	make_record(txn, spec, &record);
	msg_pack(&record, &packed);
	e->body = arena_memdup(txn->arena, packed.data, packed.len);
	e->len = packed.len;
	e->viewer_uid = txn->in->caller->uid;
	e->ask = (struct explain_ask){.uid = txn->in->caller->uid, .hides = !rights_sees_all(txn)};
}

void trial_begin(struct txn *txn, const Armada__SubmitRequest *m)
{
	Armada__SubmitReply r = ARMADA__SUBMIT_REPLY__INIT;
	Armada__ExpectedStart expected = ARMADA__EXPECTED_START__INIT;
	const char *why = m->n_jobs == 1 ? untried(txn, m->jobs[0]) : NULL;

	if (m->n_jobs == 1 && !why) {
		ask_scheduler(txn, m->jobs[0]);
		return;
	}
	r.notes = arena_alloc(txn->arena, m->n_jobs * sizeof(*r.notes));
	for (size_t i = 0; i < m->n_jobs; i++)
		r.notes[r.n_notes++] = note_on(txn, m->jobs[i]);
	expected.why = (char *)why;
	r.expected = why ? &expected : NULL;
	reply(txn, MSG_SUBMIT_REPLY, &r);
}

void input_tried(struct txn *txn)
{
	const struct sched_trial *t = txn->in->trial;
	Armada__SubmitReply r = ARMADA__SUBMIT_REPLY__INIT;
	Armada__ExpectedStart expected = ARMADA__EXPECTED_START__INIT;
	char *note = (char *)txn->in->text;

	r.notes = &note;
	r.n_notes = 1;
	r.expected = &expected;
	if (t) {
		expected.now = t->why == WHY_NONE;
		expected.preempts = t->preempts;
		expected.start_us = t->start_us;
		expected.nodes = (char **)t->nodes;
		expected.n_nodes = t->node_count;
		expected.before = t->before;
		if (t->why != WHY_NONE)
			expected.why =
				arena_printf(txn->arena, "%s: %s", why_word(t->why), t->text);
		if (t->why != WHY_NONE && txn->in->ask.hides)
			expected.why = job_text_strip(expected.why, SCHED_TRIAL_ID, txn->arena);
	} else {
		expected.why = (char *)"a plugin of the scheduler failed";
	}
	reply(txn, MSG_SUBMIT_REPLY, &r);
}
