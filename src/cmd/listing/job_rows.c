/*
 * Fetches the rows of jobs, and formats parts of a row.
 *
 * Jobs come from the memory of the controller in pages. Ended jobs, and named ids that are no
 * longer in memory, come from the history. Shortly after its end a job is in both; sort_rows()
 * drops the second row.
 */
#include "cmd/listing/job_rows.h"

#include "client/jobstate.h"
#include "cmd/listing/job_progress.h"
#include "util/clock.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void job_row_elements(const Armada__JobRow *row, struct buf *out)
{
	for (size_t i = 0; i < row->n_elements; i++) {
		const Armada__IndexRange *r = row->elements[i];

		buf_addf(out, "%s%" PRIu32, i ? "," : "", r->first);
		if (r->last > r->first)
			buf_addf(out, "-%" PRIu32, r->last);
		if (r->step > 1 && r->last > r->first)
			buf_addf(out, ":%" PRIu32, r->step);
	}
}

void job_row_id(const Armada__JobRow *row, struct buf *out)
{
	bool several;

	buf_addf(out, "%" PRIu64, row->job);
	if (!row->is_array || !row->n_elements)
		return;
	several = row->n_elements > 1 || row->elements[0]->last > row->elements[0]->first;
	buf_addstr(out, several ? "_[" : "_");
	job_row_elements(row, out);
	if (several)
		buf_addc(out, ']');
}

bool job_view_is_brief(const struct job_view *view)
{
	CLEANUP_BUF struct buf id = {0};

	if (!view->whole || view->row->n_elements < 2)
		return false;
	job_row_id(view->row, &id);
	return id.len > JOB_ID_WIDE;
}

bool job_row_has_exit(const Armada__JobRow *row)
{
	if (row->exit_code || row->exit_signal || row->state == ARMADA__JOB_STATE__JOB_COMPLETED)
		return true;
	return row->start_us && row->state != ARMADA__JOB_STATE__JOB_NODE_FAIL &&
	       row->state != ARMADA__JOB_STATE__JOB_FAILED;
}

void job_row_exit(const Armada__JobRow *row, struct buf *out)
{
	if (job_row_has_exit(row))
		buf_addf(out, "%" PRId32 ":%" PRId32, row->exit_code, row->exit_signal);
	else
		buf_addc(out, '-');
}

size_t job_row_nodes(const Armada__JobRow *row, struct buf *out)
{
	CLEANUP_FREE const char **names = xcalloc(row->n_nodes + 1, sizeof(*names));
	size_t count = 0;

	/* the list is by rank, so that the tasks of a node need not be adjacent */
	for (size_t i = 0; i < row->n_nodes; i++)
		if (!names_have(names, count, row->nodes[i]))
			names[count++] = row->nodes[i];
	if (out)
		hostlist_compress(names, count, out);
	return count;
}

/* Where the next page begins; both requests and their reply have these fields. */
struct cursor {
	uint64_t after_id;
	uint32_t after_element, after_attempt;
	bool has_element;
};

void job_rows_init(struct job_rows *rows)
{
	*rows = (struct job_rows){.arena = arena_new(0), .now_us = clock_us(CLOCK_REALTIME)};
}

void job_rows_done(struct job_rows *rows)
{
	free(rows->list);
	arena_free(rows->arena);
}

/* Rows of jobs that ended before since_us are left out. -EBADE: there are too many. */
static int add_rows(struct job_rows *rows, const Armada__ListJobsReply *reply, int64_t since_us,
		    struct err *err)
{
	if (rows->most && rows->count + reply->n_rows > rows->most)
		return err_set(err, -EBADE,
			       "more than %zu rows are selected; select fewer jobs, or some of the "
			       "elements of an array",
			       rows->most);
	GROW(rows->list, rows->cap, rows->count + reply->n_rows);
	for (size_t i = 0; i < reply->n_rows; i++) {
		const Armada__JobRow *row = reply->rows[i];

		if (since_us && job_state(row->state)->ended && row->end_us < since_us)
			continue;
		rows->list[rows->count++] =
			(struct job_view){.row = reply->rows[i], .now_us = rows->now_us};
	}
	return 0;
}

/* False when there is no more. */
static bool advance(struct cursor *at, const Armada__ListJobsReply *reply)
{
	if (!reply->more)
		return false;
	at->after_id = reply->next_after_id;
	at->after_element = reply->next_after_element;
	at->has_element = reply->next_has_element;
	at->after_attempt = reply->next_after_attempt;
	return true;
}

/* Ids that the controller no longer has in memory; they are looked up in the history. */
struct missing {
	Armada__JobRange **list;
	size_t count, cap;
};

static void add_missing(struct missing *m, Armada__JobRange *const *ranges, size_t count)
{
	GROW(m->list, m->cap, m->count + count);
	for (size_t i = 0; i < count; i++)
		m->list[m->count++] = ranges[i];
}

static int fetch_live(struct job_rows *rows, struct connection *c, const struct filter *f,
		      enum job_rows_kind kind, struct missing *missing, struct err *err)
{
	Armada__ListJobsRequest q = ARMADA__LIST_JOBS_REQUEST__INIT;
	struct cursor at = {0};
	const Armada__ListJobsReply *reply;
	bool more;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.expand_arrays = kind == JOB_ROWS_ELEMENTS || kind == JOB_ROWS_ATTEMPTS;
	q.merge_arrays = kind == JOB_ROWS_JOBS;
	q.finished_too = f->ended || f->message.n_ids;
	do {
		q.after_id = at.after_id;
		q.after_element = at.after_element;
		q.has_after_element = at.has_element;
		rc = connection_ask(c, MSG_LIST_JOBS, &q, MSG_LIST_JOBS_REPLY, rows->arena, 0,
				    &reply, err);
		if (rc == 0)
			rc = add_rows(rows, reply, f->message.since_us, err);
		if (rc < 0)
			return rc;
		more = advance(&at, reply);
		add_missing(missing, reply->missing, reply->n_missing);
	} while (more);
	return 0;
}

/* What a HistoryRequest asks for. */
enum ask {
	ASK_ENDS,
	ASK_MERGED_ENDS,
	ASK_ATTEMPTS,
};

static int fetch_history(struct job_rows *rows, struct connection *c,
			 const Armada__JobFilter *filter, enum ask ask, struct err *err)
{
	Armada__HistoryRequest q = ARMADA__HISTORY_REQUEST__INIT;
	const Armada__ListJobsReply *reply;
	struct cursor at = {0};
	int rc;

	q.filter = (Armada__JobFilter *)filter;
	q.merge_arrays = ask == ASK_MERGED_ENDS;
	q.attempts = ask == ASK_ATTEMPTS;
	do {
		q.after_attempt = at.after_attempt;
		q.after_id = at.after_id;
		q.after_element = at.after_element;
		q.has_after_element = at.has_element;
		rc = connection_ask(c, MSG_HISTORY, &q, MSG_LIST_JOBS_REPLY, rows->arena, 0, &reply,
				    err);
		if (rc == 0)
			rc = add_rows(rows, reply, filter->since_us, err);
		if (rc < 0)
			return rc;
	} while (advance(&at, reply));
	return 0;
}

static uint32_t first_element(const Armada__JobRow *row)
{
	return row->n_elements ? row->elements[0]->first : 0;
}

static uint32_t attempt_before(const Armada__JobRow *row)
{
	return row->requeued ? row->attempt : UINT32_MAX;
}

/*
 * By job, element and attempt; the last attempt is last. Of equal rows the one of a job that has not ended
 * comes first.
 */
static int compare(const void *left, const void *right)
{
	const struct job_view *a = left, *b = right;

	if (a->row->job != b->row->job)
		return a->row->job < b->row->job ? -1 : 1;
	if (first_element(a->row) != first_element(b->row))
		return first_element(a->row) < first_element(b->row) ? -1 : 1;
	if (attempt_before(a->row) != attempt_before(b->row))
		return attempt_before(a->row) < attempt_before(b->row) ? -1 : 1;
	return job_state(a->row->state)->ended - job_state(b->row->state)->ended;
}

/*
 * Sorts the rows and drops duplicates, which exist while a job is both in memory and in the
 * history. Merged rows of arrays are left to job_progress_merge().
 */
static void sort_rows(struct job_rows *rows, bool merged)
{
	size_t kept = 0;

	if (rows->count)
		qsort(rows->list, rows->count, sizeof(*rows->list), compare);
	for (size_t i = 0; i < rows->count; i++) {
		const Armada__JobRow *last = kept ? rows->list[kept - 1].row : NULL;
		const Armada__JobRow *row = rows->list[i].row;

		if (last && last->job == row->job && first_element(last) == first_element(row) &&
		    attempt_before(last) == attempt_before(row) && job_state(row->state)->ended &&
		    !(merged && row->is_array))
			continue;
		rows->list[kept++] = rows->list[i];
	}
	rows->count = kept;
}

enum job_rows_kind job_rows_kind_for(const struct filter *f)
{
	for (size_t i = 0; i < f->message.n_ids; i++)
		if (f->message.ids[i]->has_elements)
			return JOB_ROWS_ELEMENTS;
	return JOB_ROWS_ACTIVE;
}

static int64_t start_of(const Armada__JobRow *row)
{
	int64_t at_us = row->expected_us ? row->expected_us : row->begin_us;

	return at_us ? at_us : INT64_MAX;
}

int job_view_by_start(const struct job_view *a, const struct job_view *b)
{
	int64_t first = start_of(a->row), second = start_of(b->row);

	if (first != second)
		return first < second ? -1 : 1;
	return a->row->job < b->row->job ? -1 : a->row->job > b->row->job;
}

void job_rows_sort(struct job_rows *rows)
{
	sort_rows(rows, false);
}

/* As the controller merges: not where single elements or nodes are of interest. */
static bool may_merge(const struct filter *f)
{
	for (size_t i = 0; i < f->message.n_ids; i++)
		if (f->message.ids[i]->has_elements)
			return false;
	return !f->message.n_nodes;
}

enum { JOBS_ASKED = 4096 }; /* in one request */

/* The attempts of the jobs of the rows from `from` on, at most JOBS_ASKED jobs; returns the end. */
static int fetch_attempts_of(struct job_rows *rows, struct connection *c, const struct filter *f,
			     size_t from, size_t count, size_t *ret_end, struct err *err)
{
	Armada__JobFilter filter = f->message;
	Armada__JobRange *ranges = arena_alloc(rows->arena, JOBS_ASKED * sizeof(*ranges));
	Armada__JobRange **list = arena_alloc(rows->arena, JOBS_ASKED * sizeof(*list));
	uint64_t last = 0;
	size_t n = 0, i;

	for (i = from; i < count; i++) {
		uint64_t job = rows->list[i].row->job;

		if (n && job == last)
			continue;
		if (n == JOBS_ASKED)
			break;
		armada__job_range__init(&ranges[n]);
		ranges[n].first = ranges[n].last = last = job;
		list[n] = &ranges[n];
		n++;
	}
	*ret_end = i;
	filter.n_states = 0;
	filter.n_nodes = 0; /* it may have run on others before */
	if (!filter.n_ids) {
		filter.ids = list;
		filter.n_ids = n;
	}
	return fetch_history(rows, c, &filter, ASK_ATTEMPTS, err);
}

int job_rows_add_attempts(struct job_rows *rows, struct connection *c, const struct filter *f,
			  struct err *err)
{
	const size_t count = rows->count;
	size_t at = 0;
	int rc = 0;

	if (f->message.n_states)
		return fetch_history(rows, c, &f->message, ASK_ATTEMPTS, err);
	if (f->message.n_ids)
		return fetch_attempts_of(rows, c, f, count, count, &at, err);
	while (rc == 0 && at < count)
		rc = fetch_attempts_of(rows, c, f, at, count, &at, err);
	return rc;
}

int job_rows_fetch(struct job_rows *rows, struct connection *c, const struct filter *f,
		   enum job_rows_kind kind, struct err *err)
{
	Armada__JobFilter in_history = f->message;
	struct missing missing = {0};
	int rc = fetch_live(rows, c, f, kind, &missing, err);

	/* ended elements of an array that has not ended are listed only if the filter names them */
	for (size_t i = 0; i < f->message.n_ids; i++) {
		if (f->message.ids[i]->has_elements)
			add_missing(&missing, &f->message.ids[i], 1);
	}
	if (f->message.n_ids && !f->ended) {
		in_history.ids = missing.list;
		in_history.n_ids = missing.count;
	}
	if (rc == 0 && (missing.count || f->ended))
		rc = fetch_history(rows, c, &in_history,
				   kind == JOB_ROWS_JOBS ? ASK_MERGED_ENDS : ASK_ENDS, err);
	if (rc == 0 && kind == JOB_ROWS_ATTEMPTS)
		rc = job_rows_add_attempts(rows, c, f, err);
	free(missing.list);
	if (rc < 0)
		return rc;
	sort_rows(rows, kind == JOB_ROWS_JOBS && may_merge(f));
	if (kind == JOB_ROWS_JOBS && may_merge(f))
		job_progress_merge(rows);
	else
		job_progress_fill(rows);
	return 0;
}

int job_rows_in_history(struct connection *c, Armada__JobRange *range, uint64_t *ret_jobs,
			struct err *err)
{
	Armada__HistoryRequest q = ARMADA__HISTORY_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	uint64_t last = 0;
	bool more;

	f.ids = &range;
	f.n_ids = 1;
	q.filter = &f;
	q.limit = range->first == range->last;
	q.merge_arrays = !range->has_elements;
	*ret_jobs = 0;
	do {
		CLEANUP_ARENA struct arena *arena = arena_new(0);
		const Armada__ListJobsReply *reply;
		int rc = connection_ask(c, MSG_HISTORY, &q, MSG_LIST_JOBS_REPLY, arena, 0, &reply,
					err);

		if (rc < 0)
			return rc;
		for (size_t i = 0; i < reply->n_rows; i++) {
			*ret_jobs += reply->rows[i]->job != last;
			last = reply->rows[i]->job;
		}
		q.after_id = reply->next_after_id;
		q.after_element = reply->next_after_element;
		q.has_after_element = reply->next_has_element;
		more = reply->more && !q.limit;
	} while (more);
	return 0;
}

static bool row_has(const Armada__JobRow *row, enum filter_by by, const char *name)
{
	switch (by) {
	case FILTER_USERS:
		return strcmp(row->user, name) == 0;
	case FILTER_QUEUES:
		return strcmp(row->queue, name) == 0;
	case FILTER_CLASSES:
		return strcmp(row->priority_class, name) == 0;
	case FILTER_ACCOUNTS:
		return strcmp(row->account, name) == 0;
	case FILTER_NODES:
		return names_have((const char *const *)row->nodes, row->n_nodes, name);
	default:
		return true;
	}
}

bool job_rows_have(const void *answer, enum filter_by by, const char *name)
{
	const struct job_rows *rows = answer;

	for (size_t i = 0; i < rows->count; i++)
		if (row_has(rows->list[i].row, by, name))
			return true;
	return false;
}
