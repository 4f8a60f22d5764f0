/*
 * History: rows of elements and jobs that end, samples of shares, and answers to waiting clients.
 *
 * Input: ElementEnded, ElementRequeued, TaskStarted and SharesNoted before they are applied, and a job
 * whose last element has ended, before it is removed. Output: EFFECT_HISTORY effects, and a
 * WAIT_JOB_REPLY for each client that waits for the job. Caveats: everything is copied into the
 * arena of the input, because the element or the job is freed before the effects leave. A range of
 * waiting elements that ends is one row.
 */
#include "core/txn/history.h"

#include "core/txn/charge.h"
#include "core/txn/effects.h"
#include "core/txn/job_row.h"
#include "core/txn/job_text.h"
#include "core/txn/waiters.h"

#include <string.h>

/* The last to ask gets the first answer; the order does not matter. */
static void answer_waiters(struct txn *txn, const struct job *j)
{
	struct job_live *live = live_job(txn->live, j);
	struct waiter *w;

	while ((w = LIST_FIRST(&live->waiters))) {
		Armada__WaitJobReply reply;

		job_row_end(j, &reply);
		if (w->hides)
			reply.reason = job_text_strip(reply.reason, j->id, txn->arena);
		effect_send(txn, w->conn->conn, w->request, MSG_WAIT_JOB_REPLY, &reply);
		waiter_drop(txn->live, w);
	}
}

/* The bytes are not copied: many jobs that end at once may have the same ones. */
static struct shared *note_blob(struct txn *txn, const struct blob *b,
				struct armada_history_blob *to)
{
	if (!b)
		return NULL;
	arena_hold(txn->arena, b->bytes);
	memcpy(to->hash, b->hash, HASH_SIZE);
	to->data = b->bytes->data;
	to->len = b->bytes->len;
	return b->bytes;
}

void history_of_job(struct txn *txn, const struct job *j)
{
	Armada__ShowJobReply detail;
	struct armada_history_job *h;
	struct buf packed = {0};
	struct effect *e;

	job_row_detail(txn, j, txn->arena, &detail);
	msg_pack(&detail, &packed);
	h = arena_zalloc(txn->arena, 1, sizeof(*h));
	h->seq = txn->seq;
	h->job = j->id;
	h->detail = arena_memdup(txn->arena, packed.data, packed.len);
	h->detail_len = packed.len;
	buf_done(&packed);
	e = effect_add(txn, EFFECT_HISTORY);
	e->history_job = h;
	e->script = note_blob(txn, j->spec->script, &h->script);
	e->env = note_blob(txn, j->spec->env, &h->env);
	answer_waiters(txn, j);
}

static Armada__Lost lost(const struct element *e, const Armada__ElementEnded *m, bool requeued)
{
	uint8_t why = e ? e->why : 0;

	if (!m->start_us)
		return ARMADA__LOST__LOST_UNSET;
	if (m->state == ARMADA__JOB_STATE__JOB_NODE_FAIL ||
	    (requeued &&
	     (why == ARMADA__END_REASON__ENDING_NODE || why == ARMADA__END_REASON__ENDING_GATE)))
		return ARMADA__LOST__LOST_NODE;
	if (m->state == ARMADA__JOB_STATE__JOB_PREEMPTED &&
	    why != ARMADA__END_REASON__ENDING_REQUEUE)
		return ARMADA__LOST__LOST_PREEMPTION;
	return requeued ? ARMADA__LOST__LOST_REQUEUE : ARMADA__LOST__LOST_UNSET;
}

/* By whose request, for whose room, and what of it was lost. */
static void fill_ender(const struct element *e, const Armada__ElementEnded *m, bool requeued,
		       Armada__JobRow *row)
{
	row->lost = lost(e, m, requeued);
	row->by = m->by;
	if (!e)
		return;
	if (e->by && !m->by[0])
		row->by = e->by;
	row->for_job = e->for_job;
	row->for_element = e->for_element;
	if (e->for_queue)
		row->for_queue = e->for_queue;
}

/* Elements with a mail for each, and the start of others. The spec is unpacked only for these. */
static void note_mail(struct txn *txn, const struct job *j, Armada__JobRow *row)
{
	const Armada__JobSpec *s;

	if (!j->spec->mails_elements && row->state != ARMADA__JOB_STATE__JOB_RUNNING)
		return;
	s = spec_open(txn, j->spec, txn->arena);
	row->mail_types = s->mail_types;
	row->mail_user = s->mail_user;
}

static struct armada_history_row *history_row(struct txn *txn, const struct job *j,
					      const struct element *e,
					      const Armada__ElementEnded *m,
					      const Armada__IndexRange *range, bool requeued)
{
	struct armada_history_row *h = arena_zalloc(txn->arena, 1, sizeof(*h));
	struct buf packed CLEANUP_BUF = {0};
	struct buf nodes CLEANUP_BUF = {0};
	Armada__IndexRange *ranges[1] = {(Armada__IndexRange *)range};
	Armada__JobRow row;

	job_row_fill(txn, j, e, txn->arena, &row);
	row.elements = ranges;
	row.n_elements = 1;
	row.state = m->state;
	row.exit_code = m->exit_code;
	row.exit_signal = m->exit_signal;
	row.reason = m->reason;
	row.attempt = m->attempt;
	row.usage = m->usage;
	row.start_us = m->start_us;
	row.end_us = m->end_us;
	row.requeued = requeued;
	charge_fill(txn, e, &row);
	note_mail(txn, j, &row);
	fill_ender(e, m, requeued, &row);
	if (requeued)
		row.last_end = (char *)""; /* it has a row of its own */
	row.least_nodes = 0;
	row.count = (uint64_t)range->last - range->first + 1;
	if (e && e->lease_pending)
		row.n_nodes = 0; /* no task ever ran there */
	msg_pack(&row, &packed);
	for (size_t i = 0; i < row.n_nodes; i++)
		buf_addf(&nodes, "%s%s", i ? "," : "", row.nodes[i]);
	*h = (struct armada_history_row){
		.seq = txn->seq,
		.job = j->id,
		.first_element = range->first,
		.last_element = range->last,
		.attempt = m->attempt,
		.uid = j->user->uid,
		.user = arena_strdup(txn->arena, j->user->name),
		.queue = arena_strdup(txn->arena, j->spec->queue),
		.job_set = arena_strdup(txn->arena, j->spec->job_set),
		.name = arena_strdup(txn->arena, j->spec->name),
		.account = arena_strdup(txn->arena, j->spec->account),
		.nodes = arena_strdup(txn->arena, nodes.len ? (char *)nodes.data : ""),
		.state = m->state,
		.submit_us = j->submit_clock_us,
		.start_us = m->start_us,
		.end_us = m->end_us,
		.row = arena_memdup(txn->arena, packed.data, packed.len),
		.row_len = packed.len,
	};
	return h;
}

static void note_ends(struct txn *txn, const Armada__ElementEnded *m)
{
	const struct job *j = job_find(txn->state, m->job);

	for (size_t i = 0; j && i < m->n_elements; i++) {
		const Armada__IndexRange *r = m->elements[i];

		effect_add(txn, EFFECT_HISTORY)->row =
			history_row(txn, j, r->first == r->last ? element_find(j, r->first) : NULL,
				    m, r, false);
	}
}

/* The attempt of an element that waits again. */
static void note_attempt(struct txn *txn, const Armada__ElementRequeued *m)
{
	const struct job *j = job_find(txn->state, m->job);
	const struct element *e = j ? element_find(j, m->element) : NULL;
	Armada__ElementEnded end = ARMADA__ELEMENT_ENDED__INIT;

	if (!e || !e->task_count || !m->state)
		return;
	end.state = m->state;
	end.exit_code = m->exit_code;
	end.exit_signal = m->exit_signal;
	end.reason = m->reason;
	end.attempt = e->attempt;
	end.usage = job_row_usage(txn, e, txn->arena);
	job_row_times(txn, e, &end.start_us, &end.end_us);
	effect_add(txn, EFFECT_HISTORY)->attempt =
		history_row(txn, j, e, &end, range_of_one(m->element, 0, txn->arena)[0], true);
}

/*
 * An element begins, if there is a mail of it. Of an array with one mail for all its elements the row has the
 * attempt 0: the first one counts.
 */
static void note_start(struct txn *txn, const Armada__TaskStarted *m)
{
	const struct job *j = job_find(txn->state, m->key->job);
	const struct element *e =
		j && j->spec->mails_start ? element_find(j, m->key->element) : NULL;
	Armada__ElementEnded start = ARMADA__ELEMENT_ENDED__INIT;
	struct armada_history_row *row;
	bool each;

	if (!e || !m->all || e->state != ARMADA__JOB_STATE__JOB_CONFIGURING)
		return;
	each = j->spec->mails_elements;
	start.state = ARMADA__JOB_STATE__JOB_RUNNING;
	start.attempt = each ? e->attempt : 0;
	start.start_us = e->start_us ? e->start_us : m->start_us;
	row = history_row(txn, j, e, &start,
			  range_of_one(each ? m->key->element : 0, 0, txn->arena)[0], false);
	row->start = true;
	effect_add(txn, EFFECT_HISTORY)->attempt = row;
}

static void note_shares(struct txn *txn, const Armada__SharesNoted *m)
{
	struct armada_history_share *list =
		arena_alloc(txn->arena, (m->n_queues + 1) * sizeof(*list));
	const char *fairness = arena_strdup(txn->arena, m->fairness);
	struct effect *e;

	if (!m->n_queues)
		return; /* it only says that the controller runs */
	for (size_t i = 0; i < m->n_queues; i++) {
		const Armada__ShareSample *s = m->queues[i];

		list[i] = (struct armada_history_share){
			.seq = txn->seq,
			.time_us = s->time_us,
			.queue = arena_strdup(txn->arena, s->queue),
			.fairness = fairness,
			.from_us = s->from_us,
			.unknown_after = s->unknown_after,
			.cost = s->cost,
			.level = s->level,
			.fair = s->fair,
			.capped = s->capped,
			.weight = s->weight,
			.memory = s->memory,
			.factor = s->factor,
		};
	}
	e = effect_add(txn, EFFECT_HISTORY);
	e->shares = list;
	e->share_count = m->n_queues;
}

void history_of_event(struct txn *txn, const Armada__Event *ev)
{
	if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED)
		note_ends(txn, ev->element_ended);
	else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_REQUEUED)
		note_attempt(txn, ev->element_requeued);
	else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_STARTED)
		note_start(txn, ev->task_started);
	else if (ev->kind_case == ARMADA__EVENT__KIND_SHARES_NOTED)
		note_shares(txn, ev->shares_noted);
}
