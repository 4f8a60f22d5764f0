/*
 * Builds replies about finished jobs from the history (history_query.h). Input: a request and its
 * viewer. Output: a packed reply, or an error message. A reply has limits on rows and bytes; a scan
 * that reaches one returns a position from which the client continues.
 */
#include "armctld/history_query.h"
#include "armctld/history_merge.h"
#include "core/state/task_group.h"
#include "core/txn/job_text.h"
#include "core/view/array_rows.h"
#include "core/view/visibility.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum {
	ROWS_DEFAULT = 1000,
	ROWS_MAX = 10000,
	BYTES_MAX = 4 << 20,
	SCANNED_MAX = 8 << 20, /* of rows read for one answer, returned or not */
	EXIT_NOT_FOUND = 3,
};

/* Rows collected by the state plugin's callback. */
struct rows {
	struct arena *arena;
	const Armada__JobFilter *filter; /* conditions that the plugin cannot check; NULL: none */
	const struct core_viewer *sight; /* NULL: every row is shown */
	size_t limit, bytes, scanned;
	Armada__JobRow **list;
	size_t count, cap;
	bool more;
	bool attempts;              /* those of elements that wait again, instead of ends */
	bool merges;                /* one row for each array */
	struct history_merge merge; /* of the present array */
	uint64_t last_job;          /* of the last row read ... */
	uint32_t last_first;        /* ... its first element, as the plugin orders them, ... */
	uint32_t last_attempt;      /* ... and its attempt */
	struct err err;
};

void history_answer_error(struct history_answer *answer, int code, const char *text)
{
	answer->type = MSG_ERROR;
	buf_clear(&answer->body);
	msg_pack_error(code, text, &answer->body);
}

void history_answer_set(struct history_answer *answer, enum msg_type type, const void *message)
{
	answer->type = type;
	buf_clear(&answer->body);
	msg_pack(message, &answer->body);
}

static bool on_nodes(const Armada__JobRow *row, const Armada__JobFilter *f)
{
	if (!f->n_nodes)
		return true;
	for (size_t i = 0; i < f->n_nodes; i++)
		for (size_t k = 0; k < row->n_nodes; k++)
			if (strcmp(f->nodes[i], row->nodes[k]) == 0)
				return true;
	return false;
}

static bool overlaps(const Armada__JobRow *row, const Armada__IndexRange *range)
{
	for (size_t i = 0; i < row->n_elements; i++)
		if (row->elements[i]->first <= range->last &&
		    range->first <= row->elements[i]->last)
			return true;
	return false;
}

static bool has_elements(const Armada__JobRow *row, const Armada__JobFilter *f)
{
	if (!f->n_ids)
		return true;
	for (size_t i = 0; i < f->n_ids; i++) {
		const Armada__JobRange *r = f->ids[i];

		if (row->job < r->first || row->job > r->last)
			continue;
		if (!r->has_elements || !r->elements || overlaps(row, r->elements))
			return true;
	}
	return false;
}

static bool has_labels(const Armada__JobRow *row, const Armada__JobFilter *f)
{
	for (size_t i = 0; i < f->n_labels; i++) {
		const Armada__Selector *want = f->labels[i];
		bool has = false;

		for (size_t k = 0; k < row->n_labels && !has; k++)
			has = strcmp(row->labels[k]->key, want->key) == 0 &&
			      (!want->value[0] || strcmp(row->labels[k]->value, want->value) == 0);
		if (has == (bool)want->negate)
			return false;
	}
	return true;
}

static bool in_class(const Armada__JobRow *row, const Armada__JobFilter *f)
{
	for (size_t i = 0; i < f->n_priority_classes; i++)
		if (strcmp(f->priority_classes[i], row->priority_class) == 0)
			return true;
	return f->n_priority_classes == 0;
}

bool history_query_matches(const Armada__JobRow *row, const Armada__JobFilter *f)
{
	return f->since_us <= row->end_us && on_nodes(row, f) && has_elements(row, f) &&
	       in_class(row, f) && has_labels(row, f);
}

static int on_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *data,
		  size_t len)
{
	struct rows *rows = arg;
	Armada__JobRow *row;

	(void)last;
	if (rows->count >= rows->limit || rows->bytes + len > BYTES_MAX ||
	    (rows->scanned && rows->scanned + len > SCANNED_MAX)) {
		rows->more = true;
		return 1;
	}
	row = msg_unpack_as(&armada__job_row__descriptor, data, len, rows->arena, &rows->err);
	if (!row)
		return err_prefix(&rows->err, -EBADMSG, "history row of job %lu",
				  (unsigned long)job);
	rows->last_job = job;
	rows->last_first = first;
	rows->last_attempt = row->attempt;
	rows->scanned += len;
	if (!visibility_sees(rows->sight, row->uid, row->queue))
		return 0;
	if (rows->sight)
		job_text_strip_row(row, rows->arena);
	if (rows->filter && !history_query_matches(row, rows->filter))
		return 0;
	if (rows->merges && history_merge_fits(&rows->merge, row)) {
		history_merge_add(&rows->merge, row, rows->arena);
		return 0;
	}
	GROW(rows->list, rows->cap, rows->count + 1);
	rows->list[rows->count++] = row;
	rows->bytes += len;
	if (rows->merges && row->is_array)
		history_merge_begin(&rows->merge, row, rows->arena);
	return 0;
}

static int collect(const struct armada_state_ops *state, void *handle,
		   const struct armada_history_filter *filter, struct rows *rows)
{
	struct armada_error err = {""};
	int rc = 0;

	if (!rows->attempts)
		rc = state->history_find(handle, filter, on_row, rows, &err);
	else if (state->attempts_find)
		rc = state->attempts_find(handle, filter, on_row, rows, &err);
	if (rc >= 0)
		return 0;
	if (!rows->err.text[0])
		err_set(&rows->err, rc, "%s",
			err.text[0] ? err.text : "the history cannot be read");
	return rc;
}

static int32_t *states_of(const Armada__JobFilter *f, struct arena *arena)
{
	int32_t *states = arena_zalloc(arena, f->n_states + 1, sizeof(*states));

	for (size_t i = 0; i < f->n_states; i++)
		states[i] = f->states[i];
	return states;
}

static struct armada_history_ids *ids_of(const Armada__JobFilter *f, struct arena *arena)
{
	struct armada_history_ids *ids = arena_zalloc(arena, f->n_ids + 1, sizeof(*ids));

	for (size_t i = 0; i < f->n_ids; i++) {
		ids[i].first = f->ids[i]->first;
		ids[i].last = f->ids[i]->last;
	}
	return ids;
}

void history_query_filter(const Armada__JobFilter *f, struct arena *arena,
			  struct armada_history_filter *ret)
{
	ret->ids = ids_of(f, arena);
	ret->id_count = f->n_ids;
	ret->users = (const char *const *)f->users;
	ret->user_count = f->n_users;
	ret->queues = (const char *const *)f->queues;
	ret->queue_count = f->n_queues;
	ret->job_sets = (const char *const *)f->job_sets;
	ret->job_set_count = f->n_job_sets;
	ret->names = (const char *const *)f->names;
	ret->name_count = f->n_names;
	ret->accounts = (const char *const *)f->accounts;
	ret->account_count = f->n_accounts;
	ret->states = states_of(f, arena);
	ret->state_count = f->n_states;
}

static void filter_of(const Armada__HistoryRequest *req, struct arena *arena,
		      struct armada_history_filter *ret)
{
	ret->after_job = req->after_id;
	ret->after_element = req->after_element;
	ret->has_after_element = req->has_after_element;
	ret->after_attempt = req->after_attempt;
	ret->limit = UINT32_MAX; /* on_row stops */
	if (req->filter)
		history_query_filter(req->filter, arena, ret);
}

/*
 * A viewer who sees only own jobs gets a filter by user name, so that neither the time of a query nor
 * its pages reveal other jobs. False: no requested job can belong to the viewer.
 */
static bool only_own(const struct core_viewer *sight, struct armada_history_filter *f)
{
	bool asked = !f->user_count;

	if (!sight || sight->queue_count)
		return true;
	for (size_t i = 0; sight->user && i < f->user_count; i++)
		asked |= strcmp(f->users[i], sight->user) == 0;
	f->users = &sight->user;
	f->user_count = 1;
	return asked && sight->user;
}

void history_query_find(const struct armada_state_ops *state, void *handle, const uint8_t *body,
			size_t len, const struct history_viewer *viewer,
			struct history_answer *ret_answer)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__ListJobsReply reply = ARMADA__LIST_JOBS_REPLY__INIT;
	struct armada_history_filter filter = {0};
	Armada__HistoryRequest *req;
	struct rows rows = {.arena = arena, .sight = viewer->sight};

	req = msg_unpack_as(&armada__history_request__descriptor, body, len, arena, &rows.err);
	if (!req) {
		history_answer_error(ret_answer, 1, rows.err.text);
		return;
	}
	rows.filter = req->filter;
	rows.attempts = req->attempts;
	rows.merges = req->merge_arrays && !req->attempts && array_rows_may_merge(req->filter);
	rows.limit = req->limit ? req->limit : ROWS_DEFAULT;
	if (rows.limit > ROWS_MAX)
		rows.limit = ROWS_MAX;
	filter_of(req, arena, &filter);
	if (only_own(viewer->sight, &filter) && collect(state, handle, &filter, &rows) < 0) {
		history_answer_error(ret_answer, 1, rows.err.text);
	} else {
		reply.rows = rows.list;
		reply.n_rows = rows.count;
		reply.more = rows.more;
		if (rows.more && rows.scanned) {
			reply.next_after_id = rows.last_job;
			reply.next_after_element = rows.last_first;
			reply.next_has_element = true;
			reply.next_after_attempt = rows.last_attempt;
		}
		history_answer_set(ret_answer, MSG_LIST_JOBS_REPLY, &reply);
	}
	free(rows.list);
}

static void set_missing(struct history_answer *answer, uint64_t job)
{
	CLEANUP_FREE char *text = xasprintf("there is no job %lu", (unsigned long)job);

	history_answer_error(answer, EXIT_NOT_FOUND, text);
}

static int rows_of(const struct armada_state_ops *state, void *handle, uint64_t job,
		   struct rows *rows)
{
	struct armada_history_ids id = {job, job};
	struct armada_history_filter filter = {.ids = &id, .id_count = 1, .limit = UINT32_MAX};

	return collect(state, handle, &filter, rows);
}

/* The results of history_job, freed together. */
struct parts {
	void *detail, *script, *env;
	size_t detail_len, script_len, env_len;
};

static void fill_show(Armada__ShowJobReply *reply, const struct parts *parts, struct rows *rows,
		      const struct history_viewer *viewer)
{
	bool may = viewer->admin || viewer->uid == reply->uid;

	if (!may && reply->spec)
		reply->spec = spec_without_env(reply->spec, rows->arena);
	reply->rows = rows->list;
	reply->n_rows = rows->count;
	if (may && viewer->with_script && parts->script) {
		reply->script.data = parts->script;
		reply->script.len = parts->script_len;
	}
	if (may && viewer->with_env && parts->env) {
		reply->env.data = parts->env;
		reply->env.len = parts->env_len;
	}
}

void history_query_show(const struct armada_state_ops *state, void *handle, uint64_t job,
			const struct history_viewer *viewer, struct history_answer *ret_answer)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct rows rows = {.arena = arena, .limit = ROWS_MAX, .sight = viewer->sight};
	struct armada_error err = {""};
	Armada__ShowJobReply *reply;
	struct parts p = {0};
	int rc;

	rc = state->history_job(handle, job, &p.detail, &p.detail_len, &p.script, &p.script_len,
				&p.env, &p.env_len, &err);
	if (rc < 0) {
		if (rc == -ENOENT)
			set_missing(ret_answer, job);
		else
			history_answer_error(ret_answer, 1, err.text);
		return;
	}
	reply = msg_unpack_as(&armada__show_job_reply__descriptor, p.detail, p.detail_len, arena,
			      &rows.err);
	if (!reply) {
		history_answer_error(ret_answer, 1, rows.err.text);
	} else if (!visibility_sees(viewer->sight, reply->uid,
				    reply->spec ? reply->spec->queue : "")) {
		set_missing(ret_answer, job);
	} else if (rows_of(state, handle, job, &rows) < 0) {
		history_answer_error(ret_answer, 1, rows.err.text);
	} else {
		fill_show(reply, &p, &rows, viewer);
		history_answer_set(ret_answer, MSG_SHOW_JOB_REPLY, reply);
	}
	free(rows.list);
	free(p.detail);
	free(p.script);
	free(p.env);
}

static void fold_row(Armada__WaitJobReply *reply, const Armada__JobRow *row)
{
	if (history_merge_rank(row->state) > history_merge_rank(reply->state)) {
		reply->state = row->state;
		reply->reason = row->reason;
	}
	if (row->exit_code > reply->exit_code)
		reply->exit_code = row->exit_code;
	if (row->exit_signal > reply->exit_signal)
		reply->exit_signal = row->exit_signal;
}

/* Combines the rows of a job without storing them, because there may be a million. */
struct waited {
	Armada__WaitJobReply reply;
	const struct core_viewer *sight;
};

static int on_wait_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *data,
		       size_t len)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct waited *w = arg;
	Armada__WaitJobReply *reply = &w->reply;
	Armada__JobRow *row;
	char *old = reply->reason;

	(void)job, (void)first, (void)last;
	row = msg_unpack_as(&armada__job_row__descriptor, data, len, arena, NULL);
	if (!row || !visibility_sees(w->sight, row->uid, row->queue))
		return 0;
	if (w->sight)
		job_text_strip_row(row, arena);
	fold_row(reply, row);
	if (reply->reason != old) {
		reply->reason = xstrdup(reply->reason);
		if (old != protobuf_c_empty_string)
			free(old);
	}
	return 0;
}

void history_query_wait(const struct armada_state_ops *state, void *handle, uint64_t job,
			const struct history_viewer *viewer, struct history_answer *ret_answer)
{
	struct waited w = {.reply = ARMADA__WAIT_JOB_REPLY__INIT, .sight = viewer->sight};
	struct armada_history_ids id = {job, job};
	struct armada_history_filter filter = {.ids = &id, .id_count = 1, .limit = UINT32_MAX};
	struct armada_error err = {""};
	int rc;

	w.reply.job = job;
	w.reply.reason = (char *)protobuf_c_empty_string;
	rc = state->history_find(handle, &filter, on_wait_row, &w, &err);
	if (rc < 0)
		history_answer_error(ret_answer, 1, err.text);
	else if (w.reply.state == ARMADA__JOB_STATE__JOB_STATE_UNSET)
		set_missing(ret_answer, job);
	else
		history_answer_set(ret_answer, MSG_WAIT_JOB_REPLY, &w.reply);
	if (w.reply.reason != protobuf_c_empty_string)
		free(w.reply.reason);
}

/* The row for an explanation: of the requested element, or the worst of all. */
struct explained_row {
	const struct explain_ask *ask;
	const struct core_viewer *sight;
	struct arena *arena; /* of the row */
	Armada__JobRow *row;
};

static int on_explain_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *data,
			  size_t len)
{
	struct explained_row *t = arg;
	struct arena *arena;
	Armada__JobRow *row;

	(void)job;
	if (t->ask->has_element && (t->ask->element < first || t->ask->element > last))
		return 0;
	arena = arena_new(0);
	row = msg_unpack_as(&armada__job_row__descriptor, data, len, arena, NULL);
	if (!row || !visibility_sees(t->sight, row->uid, row->queue) ||
	    (t->row && history_merge_rank(row->state) <= history_merge_rank(t->row->state))) {
		arena_free(arena);
		return 0;
	}
	if (t->ask->hides)
		job_text_strip_row(row, arena);
	arena_free(t->arena);
	t->arena = arena;
	t->row = row;
	return t->ask->has_element ? 1 : 0;
}

static void set_element_missing(struct history_answer *answer, const struct explain_ask *ask)
{
	CLEANUP_FREE char *text = NULL;

	if (!ask->has_element) {
		set_missing(answer, ask->job);
		return;
	}
	text = xasprintf("there is no job %lu, or it has no element %u", (unsigned long)ask->job,
			 ask->element);
	history_answer_error(answer, EXIT_NOT_FOUND, text);
}

void history_query_explain(const struct armada_state_ops *state, void *handle,
			   const struct explain_ask *ask, const struct history_viewer *viewer,
			   struct history_answer *ret_answer)
{
	Armada__ExplainReply reply = ARMADA__EXPLAIN_REPLY__INIT;
	struct armada_history_ids id = {ask->job, ask->job};
	struct armada_history_filter filter = {.ids = &id, .id_count = 1, .limit = UINT32_MAX};
	struct armada_error err = {""};
	struct explained_row told = {.ask = ask, .sight = viewer->sight};
	int rc = state->history_find(handle, &filter, on_explain_row, &told, &err);

	reply.job = ask->job;
	reply.row = told.row;
	reply.note = (char *)"it has ended";
	if (rc < 0)
		history_answer_error(ret_answer, 1, err.text);
	else if (!told.row)
		set_element_missing(ret_answer, ask);
	else
		history_answer_set(ret_answer, MSG_EXPLAIN_REPLY, &reply);
	arena_free(told.arena);
}
