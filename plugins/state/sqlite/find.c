/*
 * Reading the history: rows by filter, and the detail of a job.
 *
 * In: a filter with id ranges, a cursor and a limit. Out: rows in the order of job, element and attempt.
 * The statements are fixed: one of them returns candidates in order, by job range and at most one indexed
 * column. All other conditions of the filter are checked here. All functions share one connection under
 * reader_lock.
 */
#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns of FIND_ROWS_*. */
enum {
	COL_JOB,
	COL_FIRST,
	COL_LAST,
	COL_USER,
	COL_QUEUE,
	COL_JOB_SET,
	COL_NAME,
	COL_STATE,
	COL_ROW,
	COL_ACCOUNT, /* only of FIND_ROWS_ACCOUNT, FIND_ROWS_ACCOUNTS and FIND_ATTEMPTS */
	COL_ATTEMPT, /* only of FIND_ATTEMPTS */
};

struct cursor {
	bool attempts;                 /* their table, and the cursor has the attempt */
	int64_t job, element, attempt; /* of the last row returned; rows after it are wanted */
	uint32_t count;
	bool full; /* the limit was reached, and more rows follow */
};

bool find_is_listed(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text && strcmp(text, list[i]) == 0)
			return true;
	return count == 0;
}

static bool in_states(int32_t state, const int32_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == state)
			return true;
	return count == 0;
}

static bool wanted(sqlite3_stmt *st, const struct armada_history_filter *f)
{
	const struct {
		int column;
		const char *const *list;
		size_t count;
	} texts[] = {
		{COL_USER, f->users, f->user_count},
		{COL_QUEUE, f->queues, f->queue_count},
		{COL_JOB_SET, f->job_sets, f->job_set_count},
		{COL_NAME, f->names, f->name_count},
		{COL_ACCOUNT, f->accounts, f->account_count},
	};

	if (!in_states(sqlite3_column_int(st, COL_STATE), f->states, f->state_count))
		return false;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].count &&
		    !find_is_listed((const char *)sqlite3_column_text(st, texts[i].column),
				    texts[i].list, texts[i].count))
			return false;
	return true;
}

/* The statement that returns the fewest candidates, and the text to bind to it. */
static enum find_stmt choose(const struct armada_history_filter *f, const char **ret_key)
{
	const struct {
		enum find_stmt stmt;
		const char *const *list;
		size_t count;
	} ways[] = {
		{FIND_ROWS_JOB_SET, f->job_sets, f->job_set_count},
		{FIND_ROWS_USER, f->users, f->user_count},
		{FIND_ROWS_QUEUE, f->queues, f->queue_count},
	};

	*ret_key = f->account_count == 1 ? f->accounts[0] : NULL;
	if (f->account_count) /* the other statements do not return the account */
		return *ret_key ? FIND_ROWS_ACCOUNT : FIND_ROWS_ACCOUNTS;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && !f->id_count; i++)
		if (ways[i].count == 1) {
			*ret_key = ways[i].list[0];
			return ways[i].stmt;
		}
	*ret_key = NULL;
	return FIND_ROWS_ALL;
}

/* Without an attempt in the cursor the limit never separates rows of one element. */
static bool may_stop(const struct cursor *cur, int64_t job, int64_t element)
{
	return cur->attempts || job != cur->job || element != cur->element;
}

static int find_range(struct db *db, const struct armada_history_filter *f, uint64_t first,
		      uint64_t last, struct cursor *cur, armada_state_row_fn *on_row, void *arg,
		      struct armada_error *err)
{
	const char *key = NULL;
	enum find_stmt which = cur->attempts ? FIND_ATTEMPTS : choose(f, &key);
	/* The index can skip to a job, but not to a pair of job and element. */
	uint64_t from = cur->job > 0 && (uint64_t)cur->job > first ? (uint64_t)cur->job : first;
	sqlite3_stmt *st = db->stmt[which];
	int rc;

	db_bind_u64(db, which, 1, from);
	db_bind_u64(db, which, 2, last > INT64_MAX ? INT64_MAX : last);
	sqlite3_bind_int64(st, 3, cur->job);
	sqlite3_bind_int64(st, 4, cur->element);
	if (cur->attempts)
		sqlite3_bind_int64(st, 5, cur->attempt);
	else if (key)
		db_bind_text(db, which, 5, key);
	while ((rc = db_step(db, which, "cannot be read", err)) > 0) {
		int64_t job = sqlite3_column_int64(st, COL_JOB);
		int64_t element = sqlite3_column_int64(st, COL_FIRST);
		const void *row;

		if (!wanted(st, f))
			continue;
		if (f->limit && cur->count >= f->limit && may_stop(cur, job, element)) {
			cur->full = true;
			rc = 0;
			break;
		}
		row = sqlite3_column_blob(st, COL_ROW);
		rc = on_row(arg, (uint64_t)job, (uint32_t)element,
			    (uint32_t)sqlite3_column_int64(st, COL_LAST), row ? row : "",
			    (size_t)sqlite3_column_bytes(st, COL_ROW));
		if (rc)
			break;
		cur->job = job;
		cur->element = element;
		cur->attempt = cur->attempts ? sqlite3_column_int64(st, COL_ATTEMPT) : 0;
		cur->count++;
	}
	db_reset(db, which);
	return rc;
}

static int by_first(const void *a, const void *b)
{
	const struct armada_history_ids *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Ranges may overlap and have any order; each row is returned once, in order. */
static int find_ids(struct db *db, const struct armada_history_filter *f, struct cursor *cur,
		    armada_state_row_fn *on_row, void *arg, struct armada_error *err)
{
	struct armada_history_ids *ids = calloc(f->id_count, sizeof(*ids));
	uint64_t next = 0;
	int rc = 0;

	if (!ids)
		return fail(err, -ENOMEM, "out of memory");
	memcpy(ids, f->ids, f->id_count * sizeof(*ids));
	qsort(ids, f->id_count, sizeof(*ids), by_first);
	for (size_t i = 0; i < f->id_count && !rc && !cur->full; i++) {
		uint64_t first = ids[i].first > next ? ids[i].first : next;

		if (first > ids[i].last || first > INT64_MAX)
			continue;
		rc = find_range(db, f, first, ids[i].last, cur, on_row, arg, err);
		next = ids[i].last < UINT64_MAX ? ids[i].last + 1 : UINT64_MAX;
	}
	free(ids);
	return rc;
}

static int find(void *handle, const struct armada_history_filter *filter, bool attempts,
		armada_state_row_fn *on_row, void *arg, struct armada_error *err)
{
	struct store *s = handle;
	struct cursor cur = {.attempts = attempts, .job = -1, .element = -1};
	int rc = store_check(s, err);

	if (rc)
		return rc;
	if (filter->after_job > INT64_MAX)
		return 0;
	if (filter->after_job || filter->has_after_element) {
		cur.job = (int64_t)filter->after_job;
		cur.element = filter->has_after_element ? filter->after_element : INT64_MAX;
		cur.attempt = filter->after_attempt;
	}
	pthread_mutex_lock(&s->reader_lock);
	rc = history_ready(&s->reader, err);
	if (!rc && filter->id_count)
		rc = find_ids(&s->reader, filter, &cur, on_row, arg, err);
	else if (!rc)
		rc = find_range(&s->reader, filter, 0, INT64_MAX, &cur, on_row, arg, err);
	history_report(s, rc, err);
	pthread_mutex_unlock(&s->reader_lock);
	return rc;
}

int history_find(void *handle, const struct armada_history_filter *filter,
		 armada_state_row_fn *on_row, void *arg, struct armada_error *err)
{
	return find(handle, filter, false, on_row, arg, err);
}

int attempts_find(void *handle, const struct armada_history_filter *filter,
		  armada_state_row_fn *on_row, void *arg, struct armada_error *err)
{
	return find(handle, filter, true, on_row, arg, err);
}

/* A new copy of a column; NULL and 0 for NULL. */
static int take_blob(sqlite3_stmt *st, int column, void **ret_data, size_t *ret_len)
{
	const void *data = sqlite3_column_blob(st, column);
	size_t len = (size_t)sqlite3_column_bytes(st, column);

	*ret_data = NULL;
	*ret_len = 0;
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return 0;
	*ret_data = malloc(len ? len : 1);
	if (!*ret_data)
		return -ENOMEM;
	if (len)
		memcpy(*ret_data, data, len);
	*ret_len = len;
	return 0;
}

static int take_job(sqlite3_stmt *st, void *ret_data[3], size_t ret_len[3])
{
	int rc = 0;

	for (int i = 0; i < 3 && !rc; i++)
		rc = take_blob(st, i, &ret_data[i], &ret_len[i]);
	for (int i = 0; i < 3 && rc; i++)
		free(ret_data[i]);
	return rc;
}

int history_job(void *handle, uint64_t job, void **ret_detail, size_t *ret_detail_len,
		void **ret_script, size_t *ret_script_len, void **ret_env, size_t *ret_env_len,
		struct armada_error *err)
{
	struct store *s = handle;
	void *data[3] = {NULL, NULL, NULL};
	size_t len[3] = {0, 0, 0};
	int rc = store_check(s, err);

	if (rc)
		return rc;
	pthread_mutex_lock(&s->reader_lock);
	rc = history_ready(&s->reader, err);
	if (rc) {
		pthread_mutex_unlock(&s->reader_lock);
		return rc;
	}
	db_bind_u64(&s->reader, FIND_JOB, 1, job);
	rc = db_step(&s->reader, FIND_JOB, "cannot be read", err);
	if (rc > 0 && take_job(s->reader.stmt[FIND_JOB], data, len))
		rc = fail(err, -ENOMEM, "out of memory");
	else if (rc == 0)
		rc = fail(err, -ENOENT, "job %" PRIu64 " is not in the history", job);
	db_reset(&s->reader, FIND_JOB);
	history_report(s, rc, err);
	pthread_mutex_unlock(&s->reader_lock);
	if (rc < 0)
		return rc;
	*ret_detail = data[0];
	*ret_detail_len = len[0];
	*ret_script = data[1];
	*ret_script_len = len[1];
	*ret_env = data[2];
	*ret_env_len = len[2];
	return 0;
}
