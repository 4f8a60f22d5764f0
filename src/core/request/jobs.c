/*
 * LIST_JOBS, SHOW_JOB, WAIT_JOB, HISTORY: requests that read jobs.
 *
 * A listing comes in pages. A page ends after a number of rows, of bytes or of work, and has a
 * cursor for the next page: a job id, and an element if the page ended within a job. Jobs that have
 * left memory are answered by the shell from the history. WAIT_JOB is answered when the job ends.
 *
 * Caveat: the elements of a job may change between two pages. The cursor names the last element
 * that was visited, not a position.
 */
#include "core/admission/bounds.h"
#include "core/request/request.h"
#include "core/state/task_group.h"
#include "core/txn/effects.h"
#include "core/txn/job_row.h"
#include "core/txn/reply.h"
#include "core/txn/waiters.h"
#include "core/view/array_rows.h"
#include "core/view/filter.h"
#include "core/view/job_rows.h"
#include "core/view/rights.h"
#include "core/view/visibility.h"
#include "util/mem.h"

enum {
	ROWS_DEFAULT = 1000,
	ROWS_MAX = 5000,
	PAGE_BYTES = 2 << 20,
	PAGE_MEMORY = 32 << 20,
	PAGE_WORK = 1000000, /* in units of filter_cost */
};

struct listing {
	struct txn *txn;
	const Armada__ListJobsRequest *m;
	Armada__ListJobsReply reply;
	uint32_t limit;
	size_t bytes;                   /* packed size so far */
	int64_t budget, cost;           /* work that is left; work of one check */
	uint64_t needs;                 /* the last record that the answer depends on */
	bool merges;                    /* one row for each array */
	struct array_progress progress; /* of the present job */
};

/*
 * True if the page has no room for another row. The texts of a row (paths, lists of elements, nodes
 * of a gang) may be long, so a page also ends after PAGE_BYTES.
 */
static bool is_full(const struct listing *l)
{
	return l->reply.n_rows == l->limit || l->budget <= 0 ||
	       (l->reply.n_rows &&
		(l->bytes > PAGE_BYTES || arena_used(l->txn->arena) > PAGE_MEMORY));
}

static void put_row(struct listing *l, Armada__JobRow *row)
{
	row->progress = l->progress.list;
	row->n_progress = l->progress.count;
	visibility_row(l->txn, row);
	l->reply.rows[l->reply.n_rows++] = row;
	l->bytes += armada__job_row__get_packed_size(row);
}

/* False if the page is full before this row. */
static bool add_row(struct listing *l, const struct job *j, const struct element *e)
{
	Armada__JobRow *row;

	if (is_full(l))
		return false;
	l->budget -= l->cost;
	if (!filter_element(l->m->filter, j, e))
		return true;
	row = arena_alloc(l->txn->arena, sizeof(*row));
	job_rows_fill(l->txn, j, e, l->txn->arena, row);
	put_row(l, row);
	return true;
}

static bool add_one_waiting(struct listing *l, const struct job *j, uint32_t index)
{
	Armada__JobRow *row;

	if (is_full(l))
		return false;
	l->budget -= l->cost;
	if (!filter_waiting(l->m->filter, j, index))
		return true;
	row = arena_alloc(l->txn->arena, sizeof(*row));
	row_fill_waiting(l->txn, j, index, l->txn->arena, row);
	put_row(l, row);
	return true;
}

static void stop_at(struct listing *l, uint64_t job, bool has_element, uint32_t element)
{
	l->reply.more = true;
	l->reply.next_after_id = job;
	l->reply.next_has_element = has_element;
	l->reply.next_after_element = element;
}

/* Sets the cursor of a page that ended before this element. Always false. */
static bool stop_before(struct listing *l, const struct job *j, uint32_t index)
{
	if (index)
		stop_at(l, j->id, true, index - 1);
	else
		stop_at(l, j->id - 1, false, 0);
	return false;
}

static bool add_active(struct listing *l, const struct job *j, const struct element *e)
{
	return !e->task_count || add_row(l, j, e);
}

/* Rows for single elements, from an index on, waiting and active ones in the order of the index. */
static bool list_expanded(struct listing *l, const struct job *j, uint64_t from)
{
	size_t at = 0;

	while (at < j->element_count && j->elements[at]->index < from)
		at++;
	for (size_t i = 0; i < j->waiting.count; i++) {
		struct range r = j->waiting.ranges[i];

		for (uint64_t n = r.lo < from ? from : r.lo; n <= r.hi; n++) {
			for (; at < j->element_count && j->elements[at]->index < n; at++)
				if (!add_active(l, j, j->elements[at]))
					return stop_before(l, j, j->elements[at]->index);
			if (!add_one_waiting(l, j, n))
				return stop_before(l, j, n);
		}
	}
	for (; at < j->element_count; at++)
		if (!add_active(l, j, j->elements[at]))
			return stop_before(l, j, j->elements[at]->index);
	return true;
}

/* A cursor after the waiting row and before element 0. No element has this index. */
enum { AFTER_WAITING = UINT32_MAX };

/* One row for an array. A page does not end within it. */
static bool list_merged(struct listing *l, const struct job *j)
{
	Armada__JobRow *row;

	if (is_full(l)) {
		stop_at(l, j->id - 1, false, 0);
		return false;
	}
	l->budget -= l->cost * (int64_t)j->element_count;
	row = arena_alloc(l->txn->arena, sizeof(*row));
	if (array_rows_merge(l->txn, j, l->m->filter, l->txn->arena, row))
		put_row(l, row);
	return true;
}

/* Rows of one job: first one row for all waiting elements, then a row for each active element. */
static bool list_job(struct listing *l, const struct job *j, bool has_after, uint32_t after)
{
	uint64_t from = !has_after || after == AFTER_WAITING ? 0 : (uint64_t)after + 1;

	array_rows_progress(j, l->m->filter, l->txn->arena, &l->progress);
	l->budget -= (int64_t)j->element_count;
	if (l->merges && j->spec->array)
		return has_after || list_merged(l, j);
	if (l->m->expand_arrays)
		return list_expanded(l, j, from);
	if (!has_after && j->waiting.total && !add_row(l, j, NULL)) {
		stop_at(l, j->id - 1, false, 0);
		return false;
	}
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		if (e->index < from || add_active(l, j, e))
			continue;
		stop_at(l, j->id, true, e->index ? e->index - 1 : AFTER_WAITING);
		return false;
	}
	return true;
}

/* The first and last id of a filter. Jobs outside are not visited. */
static void id_bounds(const Armada__JobFilter *f, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = 0;
	*ret_last = UINT64_MAX;
	if (!f || !f->n_ids)
		return;
	*ret_first = UINT64_MAX;
	*ret_last = 0;
	for (size_t i = 0; i < f->n_ids; i++) {
		if (f->ids[i]->first < *ret_first)
			*ret_first = f->ids[i]->first;
		if (f->ids[i]->last > *ret_last)
			*ret_last = f->ids[i]->last;
	}
}

void req_list_jobs(struct txn *txn, const Armada__ListJobsRequest *m)
{
	struct listing l = {
		.txn = txn, .m = m, .budget = PAGE_WORK, .needs = txn->live->others_changed};
	const struct job *cursor;
	uint64_t first, last;
	size_t at;

	armada__list_jobs_reply__init(&l.reply);
	filter_sort(l.m->filter);
	id_bounds(l.m->filter, &first, &last);
	l.cost = filter_cost(l.m->filter);
	l.merges = m->merge_arrays && !m->expand_arrays && array_rows_may_merge(m->filter);
	l.limit = l.m->limit && l.m->limit < ROWS_MAX ? l.m->limit : ROWS_DEFAULT;
	l.reply.rows = arena_alloc(txn->arena, (l.limit + 1) * sizeof(*l.reply.rows));
	cursor = l.m->has_after_element ? job_find(txn->state, l.m->after_id) : NULL;
	at = job_after(txn->state, first && first - 1 > l.m->after_id ? first - 1 : l.m->after_id);
	if (cursor && filter_job(txn, l.m->filter, cursor) &&
	    !list_job(&l, cursor, true, l.m->after_element))
		at = txn->state->job_slots;
	for (; at < txn->state->job_slots && txn->state->job_ids[at] <= last; at++) {
		const struct job *j = txn->state->jobs[at];

		if (l.budget <= 0) {
			stop_at(&l, txn->state->job_ids[at] - 1, false, 0);
			break;
		}
		l.budget -= l.cost;
		if (!j || !filter_job(txn, l.m->filter, j))
			continue;
		if (live_job(txn->live, j)->changed > l.needs)
			l.needs = live_job(txn->live, j)->changed;
		if (!list_job(&l, j, false, 0))
			break;
	}
	if (!l.reply.more)
		l.reply.missing = filter_missing(txn, l.m->filter, &l.reply.n_missing);
	reply(txn, MSG_LIST_JOBS_REPLY, &l.reply);
	/*
	 * All jobs were named and found, so the answer depends on their records only. It leaves as
	 * soon as the last of these is durable.
	 */
	if (l.m->filter && l.m->filter->n_ids && !l.reply.more && !l.reply.n_missing &&
	    !l.m->after_id)
		txn->effects[txn->effect_count - 1].needs = l.needs;
}

void req_history(struct txn *txn, const Armada__HistoryRequest *m)
{
	effect_later_with(txn, EFFECT_FIND, MSG_HISTORY, m)->viewer = visibility_viewer(txn);
}

static void show_later(struct txn *txn, uint64_t job, bool wait, bool script, bool env)
{
	struct effect *e = effect_later(txn, EFFECT_SHOW);

	e->job = job;
	e->wait = wait;
	e->with_script = script;
	e->with_env = env;
	e->viewer_uid = txn->in->caller->uid;
	e->viewer_admin = rights_may(txn, txn->in->caller, VERB_SECRET, NULL, NULL);
	e->viewer = visibility_viewer(txn);
}

static void show_blob(const struct blob *b, bool wanted, ProtobufCBinaryData *ret)
{
	if (!b || !wanted)
		return;
	ret->data = (uint8_t *)b->bytes->data;
	ret->len = b->bytes->len;
}

enum { SHOWN_ELEMENTS = 1000 };

void req_show_job(struct txn *txn, const Armada__ShowJobRequest *m)
{
	const struct job *j = job_find(txn->state, m->job);
	Armada__ShowJobReply r;
	bool secret;

	if (!j || !rights_sees(txn, j)) {
		show_later(txn, m->job, false, m->with_script, m->with_env);
		return;
	}
	job_row_detail(txn, j, txn->arena, &r);
	secret = rights_may(txn, txn->in->caller, VERB_SECRET, j, NULL);
	if ((m->with_script || m->with_env) && !secret) {
		reply_refuse(txn, 4,
			     "script and environment of job %" PRIu64 " are shown only to %s",
			     j->id, j->user->name);
		return;
	}
	if (!secret)
		r.spec = spec_without_env(r.spec, txn->arena);
	/* an interactive job has no script, but the secret of its io stub, which is never shown */
	show_blob(j->spec->script, m->with_script && !r.spec->interactive, &r.script);
	show_blob(j->spec->env, m->with_env, &r.env);
	r.rows = arena_alloc(txn->arena, (SHOWN_ELEMENTS + 1) * sizeof(*r.rows));
	for (size_t i = 0; i <= j->element_count && r.n_rows < SHOWN_ELEMENTS; i++) {
		const struct element *e = i ? j->elements[i - 1] : NULL;

		if (i ? !e->task_count : !j->waiting.total)
			continue;
		r.rows[r.n_rows] = arena_alloc(txn->arena, sizeof(**r.rows));
		job_rows_fill(txn, j, e, txn->arena, r.rows[r.n_rows]);
		visibility_row(txn, r.rows[r.n_rows++]);
	}
	reply(txn, MSG_SHOW_JOB_REPLY, &r);
}

void req_wait_job(struct txn *txn, const Armada__WaitJobRequest *m)
{
	const struct caller *who = txn->in->caller;
	const struct job *j = job_find(txn->state, m->job);
	struct waiter *w;
	struct err err;

	if (!j || !rights_sees(txn, j)) {
		show_later(txn, m->job, true, false, false);
		return;
	}
	if (bounds_admit_wait(txn, &err) < 0) {
		reply_refuse(txn, EXIT_FULL, "%s", err.text);
		return;
	}
	w = waiter_add(txn->live, j, txn->in->conn, who->uid, who->user);
	w->request = txn->in->request;
	w->hides = !rights_sees_all(txn);
}
