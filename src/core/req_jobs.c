/* LIST_JOBS, SHOW_JOB, WAIT_JOB, HISTORY: looking at jobs. */
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

enum { ROWS_DEFAULT = 1000, ROWS_MAX = 5000, JOBS_LOOKED_AT = 50000 };

struct listing {
	struct core *core;
	const Armada__ListJobsRequest *m;
	Armada__ListJobsReply reply;
	uint32_t limit;
};

/* False when the page is full before this row. */
static bool add_row(struct listing *l, const struct job *j, const struct element *e)
{
	Armada__JobRow *row;

	if (!filter_element(l->m->filter, j, e))
		return true;
	if (l->reply.n_rows == l->limit)
		return false;
	row = arena_alloc(l->core->arena, sizeof(*row));
	row_fill(l->core, j, e, l->core->arena, row);
	l->reply.rows[l->reply.n_rows++] = row;
	return true;
}

static bool add_one_waiting(struct listing *l, const struct job *j, uint32_t index)
{
	size_t before = l->reply.n_rows;
	Armada__JobRow *row;

	if (!add_row(l, j, NULL))
		return false;
	if (l->reply.n_rows == before)
		return true;
	row = l->reply.rows[before];
	row->n_elements = 1;
	row->elements[0]->first = row->elements[0]->last = index;
	row->count = 1;
	return true;
}

static void stop_at(struct listing *l, uint64_t job, bool has_element, uint32_t element)
{
	l->reply.more = true;
	l->reply.next_after_id = job;
	l->reply.next_has_element = has_element;
	l->reply.next_after_element = element;
}

/* The waiting part of a job, element by element, after one of them. */
static bool list_expanded(struct listing *l, const struct job *j, bool has_after, uint32_t after)
{
	for (size_t i = 0; i < j->waiting.count; i++) {
		struct range r = j->waiting.ranges[i];

		for (uint64_t n = r.lo; n <= r.hi; n++) {
			if (has_after && n <= after)
				continue;
			if (!add_one_waiting(l, j, n)) {
				stop_at(l, j->id - 1, true, n - 1);
				return false;
			}
		}
	}
	return true;
}

/*
 * Rows of one job: first its waiting part (one row, or one for each element), then its active
 * elements. The cursor after_element is about active elements; while waiting ones are listed one by
 * one a page ends with a cursor of the job before.
 */
static bool list_job(struct listing *l, const struct job *j, bool has_after, uint32_t after)
{
	if (!has_after && j->waiting.total) {
		bool whole =
			l->m->expand_arrays ? list_expanded(l, j, false, 0) : add_row(l, j, NULL);

		if (!whole) {
			if (!l->reply.more)
				stop_at(l, j->id - 1, false, 0);
			return false;
		}
	}
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		if (!e->task_count || (has_after && e->index <= after))
			continue;
		if (!add_row(l, j, e)) {
			stop_at(l, j->id, true, e->index ? e->index - 1 : 0);
			l->reply.next_has_element = e->index > 0;
			if (!e->index)
				l->reply.next_after_id = j->id - 1;
			return false;
		}
	}
	return true;
}

void req_list_jobs(struct core *c, const void *message)
{
	struct listing l = {.core = c, .m = message};
	const struct job *cursor;
	size_t at, looked = 0;

	armada__list_jobs_reply__init(&l.reply);
	l.limit = l.m->limit && l.m->limit < ROWS_MAX ? l.m->limit : ROWS_DEFAULT;
	l.reply.rows = arena_alloc(c->arena, (l.limit + 1) * sizeof(*l.reply.rows));
	cursor = l.m->has_after_element ? job_find(c, l.m->after_id) : NULL;
	at = job_after(c, l.m->after_id);
	if (cursor && filter_job(c, l.m->filter, cursor) &&
	    !list_job(&l, cursor, true, l.m->after_element))
		at = c->job_slots;
	for (; at < c->job_slots; at++) {
		const struct job *j = c->jobs[at];

		if (++looked > JOBS_LOOKED_AT) {
			stop_at(&l, c->job_ids[at] - 1, false, 0);
			break;
		}
		if (j && filter_job(c, l.m->filter, j) && !list_job(&l, j, false, 0))
			break;
	}
	if (!l.reply.more)
		l.reply.missing = filter_missing(c, l.m->filter, &l.reply.n_missing);
	reply(c, MSG_LIST_JOBS_REPLY, &l.reply);
}

void req_history(struct core *c, const void *message)
{
	struct effect *e = effect_add(c, EFFECT_FIND);
	struct buf packed CLEANUP_BUF = {0};

	msg_pack(message, &packed);
	e->conn = c->in->conn;
	e->request = c->in->request;
	e->type = MSG_HISTORY;
	e->body = arena_memdup(c->arena, packed.data, packed.len);
	e->len = packed.len;
}

static void show_later(struct core *c, uint64_t job, bool wait, bool script, bool env)
{
	struct effect *e = effect_add(c, EFFECT_SHOW);

	e->conn = c->in->conn;
	e->request = c->in->request;
	e->job = job;
	e->wait = wait;
	e->with_script = script;
	e->with_env = env;
	e->viewer_uid = c->in->caller->uid;
	e->viewer_admin = caller_is_admin(c, c->in->caller);
}

static void show_blob(const struct blob *b, bool wanted, ProtobufCBinaryData *ret)
{
	if (!b || !wanted)
		return;
	ret->data = b->data;
	ret->len = b->len;
}

enum { SHOWN_ELEMENTS = 1000 };

void req_show_job(struct core *c, const void *message)
{
	const Armada__ShowJobRequest *m = message;
	const struct job *j = job_find(c, m->job);
	Armada__ShowJobReply r;
	bool secret;

	if (!j) {
		show_later(c, m->job, false, m->with_script, m->with_env);
		return;
	}
	job_detail(c, j, c->arena, &r);
	secret = may(c, c->in->caller, VERB_SECRET, j, NULL);
	if ((m->with_script || m->with_env) && !secret) {
		refuse(c, 4, "script and environment of job %" PRIu64 " are for %s only", j->id,
		       j->user->name);
		return;
	}
	show_blob(j->spec->script, m->with_script, &r.script);
	show_blob(j->spec->env, m->with_env, &r.env);
	r.rows = arena_alloc(c->arena, (SHOWN_ELEMENTS + 1) * sizeof(*r.rows));
	for (size_t i = 0; i <= j->element_count && r.n_rows < SHOWN_ELEMENTS; i++) {
		const struct element *e = i ? j->elements[i - 1] : NULL;

		if (i ? !e->task_count : !j->waiting.total)
			continue;
		r.rows[r.n_rows] = arena_alloc(c->arena, sizeof(**r.rows));
		row_fill(c, j, e, c->arena, r.rows[r.n_rows++]);
	}
	reply(c, MSG_SHOW_JOB_REPLY, &r);
}

void req_wait_job(struct core *c, const void *message)
{
	const Armada__WaitJobRequest *m = message;
	struct job *j = job_find(c, m->job);
	struct waiter *w;

	if (!j) {
		show_later(c, m->job, true, false, false);
		return;
	}
	w = xcalloc(1, sizeof(*w));
	w->conn = c->in->conn;
	w->request = c->in->request;
	w->job = j->id;
	j->waiters++;
	LIST_INSERT_HEAD(&c->waiters, w, all);
}
