/*
 * Emitting and replaying events: the only callers of the fold that apply events.
 *
 * Input: an event that a handler has filled in (emit_event), or a record from the log or a snapshot
 * (txn_replay). Output: the changed state, the event in the record under construction, history rows
 * as effects, and updated volatile data. Both paths call apply(), so a replay has the same
 * consequences as the original input. txn->before_event is not called in a replay: the events that
 * it emitted are in the record already.
 *
 * Caveats: the order in apply() matters. History rows of elements are made before the fold, because
 * the fold frees the elements. The row of a job is made after the fold, with the results of all its
 * elements, and then the job is removed. So an event may free the job and the elements that the
 * caller has pointers to. An event that does not fit the state is a defect in this program, because
 * handlers check first; emit_event() then logs and aborts.
 */
#include "core/txn/emit.h"

#include "core/state/fold.h"
#include "core/txn/dependency_timers.h"
#include "core/txn/event_log.h"
#include "core/txn/history.h"
#include "core/txn/job_events.h"
#include "proto/event_table.h"
#include "util/mem.h"

#include <assert.h>

/*
 * A job without dependencies is not checked for them any more. One with a deadline is checked when
 * it is too late for its waiting elements.
 */
static void note_deadline(struct txn *txn, const struct job *j, struct job_live *live)
{
	int64_t latest_us = j->waiting.total ? spec_latest_start_us(j->spec) : 0;

	if (latest_us)
		dependency_timer_advance(txn->live, j, latest_us + 1);
	else if (!j->depend)
		dependency_timer_cancel(txn->live, live);
}

static void note_changed(struct txn *txn, const Armada__Event *ev)
{
	uint64_t job = event_job(ev);
	const struct job *j = job ? job_find(txn->state, job) : NULL;

	if (j) {
		struct job_live *live = live_job(txn->live, j);

		live->changed = txn->seq;
		note_deadline(txn, j, live);
	} else if (!job) {
		txn->live->others_changed = txn->seq;
	}
}

/* Forget the reason of a job that was leased or updated: the reason is out of date. */
static void note_reason(struct txn *txn, const Armada__Event *ev)
{
	const struct job *j;

	if (ev->kind_case != ARMADA__EVENT__KIND_ELEMENT_LEASED &&
	    ev->kind_case != ARMADA__EVENT__KIND_JOB_UPDATED)
		return;
	j = job_find(txn->state, event_job(ev));
	if (j)
		live_note_reason(txn->live, j, NULL, 0, 0);
}

static void note_looks(struct txn *txn)
{
	struct fold *f = txn->fold;

	for (size_t i = 0; i < f->check_count; i++) {
		const struct job *j = job_find(txn->state, f->to_check[i]);

		if (j && (j->depend || j->spec->deadline_us))
			dependency_timer_set(txn->live, j, 0);
	}
	f->check_count = 0;
}

static void note_member(struct txn *txn, const Armada__Event *ev)
{
	const struct job *j = ev->kind_case == ARMADA__EVENT__KIND_JOB_SUBMITTED
				      ? job_find(txn->state, ev->job_submitted->id)
				      : NULL;

	if (j && j->gang && j->gang->count >= gang_says(j->gang)->cardinality)
		live_gang(txn->live, j->gang)->lost = false;
}

/* The volatile data of elements and tasks goes with them. */
static void forget_tasks(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementEnded *m = ev->element_ended;
	const struct job *j = ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED
				      ? job_find(txn->state, m->job)
				      : NULL;

	for (size_t i = 0; j && i < m->n_elements; i++) {
		const struct element *e = m->elements[i]->first == m->elements[i]->last
						  ? element_find(j, m->elements[i]->first)
						  : NULL;

		if (e)
			live_forget_element(txn->live, e);
	}
}

static void remove_ended_job(struct txn *txn)
{
	const struct gang *g = txn->fold->over->gang;

	history_of_job(txn, txn->fold->over);
	live_forget_job(txn->live, txn->fold->over);
	if (g && g->count > 1)
		live_gang(txn->live, g)->lost = !g->begun;
	fold_remove_job(txn->fold);
}

static int apply(struct txn *txn, const Armada__Event *ev, struct err *err)
{
	int rc;

	history_of_event(txn, ev);
	job_events_derive(txn, ev);
	forget_tasks(txn, ev);
	rc = fold_event(txn->fold, ev, err);
	if (rc < 0)
		return rc;
	job_events_number(txn);
	txn->wants_round |= event_wakes_rounds(ev);
	note_reason(txn, ev);
	note_member(txn, ev);
	note_looks(txn);
	if (txn->fold->over)
		remove_ended_job(txn);
	note_changed(txn, ev);
	return 0;
}

int txn_replay(struct txn *txn, const Armada__Record *record, struct err *err)
{
	txn->seq = record->seq;
	txn->now_us = record->wall_us;
	txn->clock_us = record->clock_us ? record->clock_us : record->wall_us;
	fold_begin(txn->fold, record->seq, record->wall_us, txn->clock_us);
	for (size_t i = 0; i < record->n_events; i++) {
		int rc = apply(txn, record->events[i], err);

		if (rc < 0)
			return err_prefix(err, rc, "record %" PRIu64 ", event %zu", record->seq, i);
	}
	fold_end(txn->fold);
	job_events_finish(txn);
	return 0;
}

/* The user whose request causes the event, for those that say it. */
static void note_author(struct txn *txn, Armada__Event *ev)
{
	char **by = NULL;

	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_JOB_HELD:
		by = &ev->job_held->by_user;
		break;
	case ARMADA__EVENT__KIND_JOB_UPDATED:
		by = &ev->job_updated->by;
		break;
	case ARMADA__EVENT__KIND_JOB_RESTARTING:
		by = &ev->job_restarting->by;
		break;
	case ARMADA__EVENT__KIND_ELEMENT_SUSPENDED:
		by = &ev->element_suspended->by;
		break;
	case ARMADA__EVENT__KIND_ELEMENT_ENDING:
		by = &ev->element_ending->by;
		break;
	case ARMADA__EVENT__KIND_ELEMENT_ENDED:
		by = &ev->element_ended->by;
		break;
	case ARMADA__EVENT__KIND_ELEMENT_REQUEUED:
		by = &ev->element_requeued->by;
		break;
	default:
		break;
	}
	if (by)
		*by = (char *)txn->by;
}

void emit_event(struct txn *txn, Armada__Event *ev)
{
	struct err err;
	int rc;

	if (!txn->event_count)
		fold_begin(txn->fold, txn->seq, txn->now_us, txn->clock_us);
	txn->before_event(txn, ev);
	if (txn->by)
		note_author(txn, ev);
	event_log_line(txn, ev);
	GROW(txn->events, txn->event_cap, txn->event_count + 1);
	txn->events[txn->event_count++] = ev;
	rc = apply(txn, ev, &err);
	if (rc < 0)
		effect_log(txn, 3, "internal: an event does not fit the state: %s", err.text);
	assert(rc == 0);
}

Armada__Event *emit_make(struct txn *txn, Armada__Event__KindCase kind, void *ret_message)
{
	Armada__Event *ev = arena_alloc(txn->arena, sizeof(*ev));
	const ProtobufCFieldDescriptor *f =
		protobuf_c_message_descriptor_get_field(&armada__event__descriptor, kind);
	const ProtobufCMessageDescriptor *d = f->descriptor;
	void *m = arena_alloc(txn->arena, d->sizeof_message);

	armada__event__init(ev);
	d->message_init(m);
	ev->kind_case = kind;
	ev->cluster_made = m; /* all members of the oneof have the same address */
	*(void **)ret_message = m;
	return ev;
}
