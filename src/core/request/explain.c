/*
 * EXPLAIN: explains why a job waits.
 *
 * The scheduler explains waiting jobs, from its own model. Its answer comes back as
 * INPUT_EXPLAINED. The job may have started or ended by then, so the state is checked again.
 * Running jobs, gangs that are held or incomplete, and jobs that wait for dependencies are answered
 * here; ended jobs from the history.
 */
#include "core/request/request.h"
#include "core/state/dependents.h"
#include "core/txn/effects.h"
#include "core/txn/job_text.h"
#include "core/txn/reply.h"
#include "core/view/dependency_text.h"
#include "core/view/gang_text.h"
#include "core/view/job_rows.h"
#include "core/view/rights.h"
#include "core/view/room_text.h"
#include "core/view/round_report.h"
#include "core/view/state_reason.h"
#include "core/view/visibility.h"
#include "core/view/wait_text.h"
#include "util/mem.h"

#include <inttypes.h>
#include <string.h>

/*
 * The job or element of the question in the present state; at most one of waits and active is set.
 */
struct subject {
	const struct job *job; /* NULL: the job or the element is not in memory */
	bool waits;
	const struct element *active;
};

static const struct element *first_active(const struct job *j)
{
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->task_count)
			return j->elements[i];
	return NULL;
}

static void look(const struct txn *txn, const struct explain_ask *ask, struct subject *ret)
{
	const struct job *j = job_find(txn->state, ask->job);
	const struct element *e;

	*ret = (struct subject){0};
	if (!j)
		return;
	e = ask->has_element ? element_find(j, ask->element) : first_active(j);
	ret->waits = ask->has_element ? rangeset_contains(&j->waiting, ask->element)
				      : j->waiting.total > 0;
	ret->active = !ret->waits && e && e->task_count ? e : NULL;
	ret->job = ret->waits || ret->active ? j : NULL;
}

static void ask_history(struct txn *txn, const struct explain_ask *ask)
{
	struct effect *e = effect_later(txn, EFFECT_SHOW);

	e->job = ask->job;
	e->ask = *ask;
	e->viewer = txn->in->kind == INPUT_MESSAGE ? visibility_viewer(txn) : NULL;
}

static char *shown(struct txn *txn, const struct explain_ask *ask, char *text)
{
	return ask->hides ? job_text_strip(text, ask->job, txn->arena) : text;
}

static const char *note_of(const struct txn *txn, const struct element *e)
{
	if (e->lease_pending)
		return why_meaning(WHY_ENDING);
	switch (e->state) {
	case ARMADA__JOB_STATE__JOB_CONFIGURING:
		return "it has its nodes and is being started";
	case ARMADA__JOB_STATE__JOB_RUNNING:
		return e->replacements
			       ? arena_printf(txn->arena, "it runs, and %s",
					      wait_text_task_replacements(txn, e, txn->arena))
			       : "it runs";
	case ARMADA__JOB_STATE__JOB_UNKNOWN:
		return "it was running at the last report of its nodes";
	default:
		return e->text ? arena_printf(txn->arena, "it is being ended: %s", e->text)
			       : "it is being ended";
	}
}

static void put_row(struct txn *txn, const struct explain_ask *ask, const struct subject *s,
		    Armada__ExplainReply *r)
{
	r->job = ask->job;
	r->row = arena_alloc(txn->arena, sizeof(*r->row));
	if (s->waits && ask->has_element)
		row_fill_waiting(txn, s->job, ask->element, txn->arena, r->row);
	else
		job_rows_fill(txn, s->job, s->active, txn->arena, r->row);
	if (ask->hides)
		job_text_strip_row(r->row, txn->arena);
}

static void answer_active(struct txn *txn, const struct explain_ask *ask, const struct subject *s)
{
	Armada__ExplainReply r = ARMADA__EXPLAIN_REPLY__INIT;

	put_row(txn, ask, s, &r);
	r.note = shown(txn, ask, (char *)note_of(txn, s->active));
	reply(txn, MSG_EXPLAIN_REPLY, &r);
}

/* Answers for a gang that is held or incomplete: the scheduler does not know these reasons. */
static bool answer_gang(struct txn *txn, const struct explain_ask *ask, const struct subject *s)
{
	Armada__ExplainReply r = ARMADA__EXPLAIN_REPLY__INIT;
	enum sched_why why;
	char *text = s->job->held ? (char *)wait_text_held(s->job, txn->arena, &why)
				  : gang_text_reason(txn, s->job, txn->arena, &why);

	if (!text)
		return false;
	put_row(txn, ask, s, &r);
	r.why = why;
	r.word = (char *)why_word(why);
	r.meaning = (char *)why_meaning(why);
	r.text = text;
	reply(txn, MSG_EXPLAIN_REPLY, &r);
	return true;
}

/* True if all asked elements wait for dependencies: the scheduler does not know them. */
static bool is_withheld(const struct explain_ask *ask, const struct job *j)
{
	if (ask->has_element)
		return job_withholds(j, ask->element);
	return j->depend && job_withheld(j) == j->waiting.total;
}

static void answer_withheld(struct txn *txn, const struct explain_ask *ask, const struct subject *s)
{
	Armada__ExplainReply r = ARMADA__EXPLAIN_REPLY__INIT;
	enum sched_why why;
	int64_t at_us;

	put_row(txn, ask, s, &r);
	r.text = dependency_text_reason(s->job, txn->arena, &why, &at_us);
	r.why = why;
	r.word = (char *)why_word(why);
	r.meaning = (char *)why_meaning(why);
	reply(txn, MSG_EXPLAIN_REPLY, &r);
}

/* The asked element if it pauses before a restart: the scheduler does not know that it waits. */
static const struct element *find_paused(const struct explain_ask *ask, const struct job *j)
{
	const struct element *e = element_find(j, ask->has_element ? ask->element : 0);

	return e && e->not_before_us && !j->held && (ask->has_element || !j->spec->array) ? e
											  : NULL;
}

static void answer_paused(struct txn *txn, const struct explain_ask *ask, const struct subject *s)
{
	Armada__ExplainReply r = ARMADA__EXPLAIN_REPLY__INIT;

	put_row(txn, ask, s, &r);
	r.text = wait_text_pause(txn, find_paused(ask, s->job), txn->arena);
	r.why = WHY_RESTART_PAUSE;
	r.word = (char *)why_word(r.why);
	r.meaning = (char *)why_meaning(r.why);
	reply(txn, MSG_EXPLAIN_REPLY, &r);
}

void req_explain(struct txn *txn, const Armada__ExplainRequest *m)
{
	struct explain_ask ask = {.job = m->job,
				  .has_element = m->has_element,
				  .element = m->element,
				  .as = m->job,
				  .uid = txn->in->caller->uid,
				  .hides = !rights_sees_all(txn)};
	struct subject s;
	struct effect *e;

	look(txn, &ask, &s);
	if (s.job && !rights_sees(txn, s.job)) {
		ask_history(txn, &ask); /* the history hides the job as well */
	} else if (s.waits && s.job->gang && answer_gang(txn, &ask, &s)) {
		/* the answer has been sent */
	} else if (s.waits && is_withheld(&ask, s.job)) {
		answer_withheld(txn, &ask, &s);
	} else if (s.waits && find_paused(&ask, s.job)) {
		answer_paused(txn, &ask, &s);
	} else if (s.waits) {
		if (s.job->gang)
			ask.as = gang_lead(s.job->gang)->id;
		e = effect_later(txn, EFFECT_EXPLAIN);
		e->viewer_uid = txn->in->caller->uid;
		e->ask = ask;
	} else if (s.active) {
		answer_active(txn, &ask, &s);
	} else {
		ask_history(txn, &ask);
	}
}

static const struct {
	enum sched_excluder by;
	const char *word;
	const char *text; /* if it ends in a space, exclusion.what is appended */
} excluders[] = {
	{EXCLUDED_DOWN, "down", "down, drained or silent"},
	{EXCLUDED_LIST, "list", "excluded by its lists of nodes"},
	{EXCLUDED_LABEL, "label", "without the label "},
	{EXCLUDED_TAINT, "taint", "with a taint it does not tolerate: "},
	{EXCLUDED_TOO_SMALL, "too-small", "too small even if they were empty: "},
	{EXCLUDED_BUSY, "busy", "with too few free resources: "},
	{EXCLUDED_OCCUPIED, "occupied",
	 "in use although it needs whole nodes, or used exclusively by others"},
	{EXCLUDED_KEPT, "kept", "kept for the jobs of another user, or with tasks of other users"},
	{EXCLUDED_RESERVED, "reserved", "held for the gang with the reservation"},
	{EXCLUDED_AVOIDED, "avoided",
	 "avoided for a while: a start failed there, or it was preempted there"},
};

static Armada__Exclusion *exclusion(const struct txn *txn, const struct sched_exclusion *x)
{
	Armada__Exclusion *m = arena_alloc(txn->arena, sizeof(*m));
	const char *what = x->what ? x->what : "";

	armada__exclusion__init(m);
	m->by = (char *)"other";
	m->what = (char *)what;
	m->nodes = x->nodes;
	m->text = (char *)"not fit for it";
	for (size_t i = 0; i < ARRAY_SIZE(excluders); i++) {
		bool more = excluders[i].text[strlen(excluders[i].text) - 1] == ' ';

		if (excluders[i].by != x->by)
			continue;
		m->by = (char *)excluders[i].word;
		m->text = arena_printf(txn->arena, "%s%s", excluders[i].text, more ? what : "");
	}
	return m;
}

static const struct {
	enum sched_change_kind kind;
	const char *word;
} changes[] = {
	{CHANGE_LESS, "less"},
	{CHANGE_MEMBERS, "members"},
	{CHANGE_CLASS, "class"},
	{CHANGE_DROP_LABEL, "drop-label"},
	{CHANGE_OTHER_LABEL, "other-label"},
	{CHANGE_DROP_LISTS, "drop-lists"},
	{CHANGE_TOLERATE, "tolerate"},
	{CHANGE_TIME, "time"},
	{CHANGE_SHARE_NODE, "share-node"},
	{CHANGE_UNIFORMITY, "uniformity"},
	{CHANGE_RELEASE, "release"},
};

static Armada__Change *change(const struct txn *txn, const struct sched_change *x)
{
	Armada__Change *m = arena_alloc(txn->arena, sizeof(*m));

	armada__change__init(m);
	m->kind = (char *)"other";
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (changes[i].kind == x->kind)
			m->kind = (char *)changes[i].word;
	m->text = (char *)(x->text ? x->text : "");
	m->option = (char *)(x->option ? x->option : "");
	m->amount = x->amount;
	m->name = (char *)(x->name ? x->name : "");
	if (x->kind == CHANGE_LESS && x->resource < resource_count())
		m->resource = (char *)resource_name(x->resource);
	return m;
}

static char *text_of(const char *text)
{
	return (char *)(text ? text : "");
}

static void fill(const struct txn *txn, const struct sched_explanation *x, Armada__ExplainReply *r)
{
	r->why = x->why;
	r->word = text_of(why_word(x->why));
	r->meaning = text_of(why_meaning(x->why));
	r->text = text_of(x->text);
	r->nodes = x->nodes;
	r->fitting = x->fitting;
	r->excluded = arena_alloc(txn->arena, (x->exclusion_count + 1) * sizeof(*r->excluded));
	for (size_t i = 0; i < x->exclusion_count; i++)
		r->excluded[r->n_excluded++] = exclusion(txn, &x->exclusions[i]);
	r->nearest = text_of(x->nearest);
	r->nearest_lacks = text_of(x->nearest_lacks);
	r->share = x->share.queue ? round_report_share(&x->share, txn->arena) : NULL;
	r->place = x->place;
	r->of = x->of;
	r->before = x->before;
	r->looked_at = x->looked_at;
	r->expected_us = x->expected_us;
	r->change = x->change.kind != CHANGE_NONE ? change(txn, &x->change) : NULL;
	r->tried = x->tried;
	r->cut = x->cut;
}

/* The scheduler knows that a job takes whole nodes, but not which option asks for it. */
static void name_option(const struct txn *txn, const struct job *j, Armada__ExplainReply *r)
{
	bool both = j->spec->whole_memory && spec_open(txn, j->spec, txn->arena)->exclusive;

	if (r->change && strcmp(r->change->kind, "share-node") == 0 && j->spec->whole_memory)
		r->change->text = (char *)(both ? "without --exclusive and --mem=0"
						: "with an amount of memory instead of --mem=0");
}

/* Corrects the scheduler's answer by the state as it is now, as listings do. */
static void correct(const struct txn *txn, const struct job *j, Armada__ExplainReply *r)
{
	struct state_reason now = {r->why, r->text, r->expected_us};

	state_reason_correct(txn, j, txn->arena, &now);
	if (!now.why || now.text == r->text)
		return;
	r->text = (char *)now.text;
	r->why = now.why;
	r->word = (char *)why_word(now.why);
	r->meaning = (char *)why_meaning(now.why);
	r->expected_us = now.expected_us;
}

void input_explained(struct txn *txn)
{
	const struct explain_ask *ask = &txn->in->ask;
	Armada__ExplainReply r = ARMADA__EXPLAIN_REPLY__INIT;
	struct subject s;

	look(txn, ask, &s);
	if (!s.job) {
		ask_history(txn, ask);
	} else if (s.waits && is_withheld(ask, s.job)) {
		answer_withheld(txn, ask, &s);
	} else if (s.active) {
		answer_active(txn, ask, &s);
	} else if (!txn->in->explanation) {
		/* the job was requeued meanwhile; the scheduler saw it running */
		reply_refuse(txn, 75, "job %" PRIu64 " was requeued just now: ask again", ask->job);
	} else {
		put_row(txn, ask, &s, &r);
		fill(txn, txn->in->explanation, &r);
		room_text_fill(txn, ask, txn->in->explanation, &r);
		correct(txn, s.job, &r);
		name_option(txn, s.job, &r);
		r.text = shown(txn, ask, r.text);
		reply(txn, MSG_EXPLAIN_REPLY, &r);
	}
}
