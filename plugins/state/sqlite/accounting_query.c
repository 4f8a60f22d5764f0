/*
 * Queries of the table `accounting`: SQL made of a filter.
 *
 * In: a filter. Out: a prepared statement whose values are bound; no text of the filter is part of the SQL.
 * A period is read in two passes (accounting.h). The filter's stop() is called by SQLite every few thousand
 * steps of its virtual machine.
 */
#include "accounting.h"
#include "error.h"
#include "history_file.h"

#include <errno.h>

enum { STEPS = 20000, VALUES_MAX = 1000, IDS_MAX = 200 };

/* The texts that a column must have one of. */
struct condition {
	const char *column;
	const char *const *list;
	size_t count;
};

enum { TEXTS = 6 };

static void conditions_of(const struct armada_attempt_filter *f, struct condition ret[TEXTS])
{
	const struct condition all[TEXTS] = {
		{"user", f->users, f->user_count},    {"account", f->accounts, f->account_count},
		{"queue", f->queues, f->queue_count}, {"job_set", f->job_sets, f->job_set_count},
		{"name", f->names, f->name_count},    {"class", f->classes, f->class_count},
	};

	for (int i = 0; i < TEXTS; i++)
		ret[i] = all[i];
}

static int check(const struct armada_attempt_filter *f, struct armada_error *err)
{
	size_t n = f->state_count + f->viewer_queue_count;
	struct condition list[TEXTS];

	conditions_of(f, list);
	for (int i = 0; i < TEXTS; i++)
		n += list[i].count;
	if (n > VALUES_MAX)
		return fail(err, -EINVAL, "more than %d names select attempts", VALUES_MAX);
	if (f->id_count > IDS_MAX)
		return fail(err, -EINVAL, "more than %d ranges of job ids select attempts",
			    IDS_MAX);
	return 0;
}

static void add_list(sqlite3_str *sql, const char *before, const char *column, size_t count)
{
	sqlite3_str_appendf(sql, "%s a.%s IN (", before, column);
	for (size_t i = 0; i < count; i++)
		sqlite3_str_appendall(sql, i ? ",?" : "?");
	sqlite3_str_appendall(sql, ")");
}

/* The order of the values is that of bind_all(). */
static void add_conditions(sqlite3_str *sql, const struct armada_attempt_filter *f)
{
	struct condition list[TEXTS];

	conditions_of(f, list);
	for (int i = 0; i < TEXTS; i++)
		if (list[i].count)
			add_list(sql, " AND", list[i].column, list[i].count);
	if (f->state_count)
		add_list(sql, " AND", "state", f->state_count);
	for (size_t i = 0; i < f->id_count; i++)
		sqlite3_str_appendf(sql, "%s a.job BETWEEN ? AND ?", i ? " OR" : " AND (");
	if (f->id_count)
		sqlite3_str_appendall(sql, ")");
	if (!f->limited)
		return;
	sqlite3_str_appendall(sql, " AND (a.uid = ?");
	if (f->viewer_queue_count)
		add_list(sql, " OR", "queue", f->viewer_queue_count);
	sqlite3_str_appendall(sql, ")");
}

static void bind_texts(sqlite3_stmt *st, int *at, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sqlite3_bind_text(st, (*at)++, list[i], -1, SQLITE_STATIC);
}

static int64_t bounded(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static void bind_all(const struct accounting_query *q)
{
	const struct armada_attempt_filter *f = q->filter;
	struct condition list[TEXTS];
	int at = 7; /* ?1 to ?6 are the period and the cursor; ?7 is the label, if it is joined */

	sqlite3_bind_int64(q->st, 1,
			   f->has_after && f->after_end_us > f->from_us ? f->after_end_us
									: f->from_us);
	sqlite3_bind_int64(q->st, 2, f->to_us);
	if (f->has_after) {
		sqlite3_bind_int64(q->st, 3, f->after_end_us);
		sqlite3_bind_int64(q->st, 4, bounded(f->after_job));
		sqlite3_bind_int64(q->st, 5, f->after_element);
		sqlite3_bind_int64(q->st, 6, f->after_attempt);
	}
	if (q->with_label)
		bind_texts(q->st, &at, &f->sum_label, 1);
	conditions_of(f, list);
	for (int i = 0; i < TEXTS; i++)
		bind_texts(q->st, &at, list[i].list, list[i].count);
	for (size_t i = 0; i < f->state_count; i++)
		sqlite3_bind_int64(q->st, at++, f->states[i]);
	for (size_t i = 0; i < f->id_count; i++) {
		sqlite3_bind_int64(q->st, at++, bounded(f->ids[i].first));
		sqlite3_bind_int64(q->st, at++, bounded(f->ids[i].last));
	}
	if (!f->limited)
		return;
	sqlite3_bind_int64(q->st, at++, f->viewer_uid);
	bind_texts(q->st, &at, f->viewer_queues, f->viewer_queue_count);
}

/* The index that finds the fewest rows. */
static const char *index_of(const struct armada_attempt_filter *f, enum accounting_pass pass)
{
	if (f->user_count == 1)
		return "INDEXED BY accounting_user";
	return pass == PASS_LONG ? "INDEXED BY accounting_long"
				 : "INDEXED BY sqlite_autoindex_accounting_1";
}

static const char *const periods[PASS_COUNT] = {
	[PASS_SOON] = "a.end_us >= ?1 AND a.end_us <= ?2 + " ACCOUNTING_LONG_US,
	[PASS_LONG] = "a.start_us > 0 AND a.end_us - a.start_us > " ACCOUNTING_LONG_US
		      " AND a.end_us >= ?1 AND a.end_us > ?2 + " ACCOUNTING_LONG_US,
};

int accounting_prepare(struct accounting_query *q, enum accounting_pass pass, const char *columns,
		       const char *joins, const char *tail, struct armada_error *err)
{
	const struct armada_attempt_filter *f = q->filter;
	sqlite3_str *sql;
	char *text;
	int rc = check(f, err);

	if (rc)
		return rc;
	sql = sqlite3_str_new(q->db->conn);
	sqlite3_str_appendf(sql,
			    "SELECT %s FROM accounting a %s %s WHERE %s AND "
			    "CASE WHEN a.start_us > 0 THEN a.start_us ELSE a.end_us END < ?2",
			    columns, index_of(f, pass), joins, periods[pass]);
	if (f->has_after)
		sqlite3_str_appendall(
			sql, " AND "
			     "(a.end_us, a.job, a.first_element, a.attempt) > (?3, ?4, ?5, ?6)");
	else
		/* the numbers of the values do not depend on the cursor */
		sqlite3_str_appendall(sql, " AND ?6 IS NULL");
	add_conditions(sql, f);
	sqlite3_str_appendf(sql, " %s", tail);
	text = sqlite3_str_finish(sql);
	if (!text)
		return fail(err, -ENOMEM, "out of memory");
	rc = sqlite3_prepare_v2(q->db->conn, text, -1, &q->st, NULL) == SQLITE_OK
		     ? 0
		     : fail_db(err, q->db, "cannot be read");
	sqlite3_free(text);
	if (!rc)
		bind_all(q);
	return rc;
}

int accounting_step(struct accounting_query *q, struct armada_error *err)
{
	int rc = sqlite3_step(q->st);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	if ((rc & 0xff) == SQLITE_INTERRUPT)
		return fail(err, -ECANCELED, "the query was stopped");
	return fail_db(err, q->db, "cannot be read");
}

static int on_progress(void *arg)
{
	const struct armada_attempt_filter *f = arg;

	return f->stop(f->stop_arg);
}

int accounting_begin(struct store *s, const struct armada_attempt_filter *f,
		     struct armada_error *err)
{
	int rc = store_check(s, err);

	if (rc)
		return rc;
	pthread_mutex_lock(&s->accounts_lock);
	rc = history_ready(&s->accounts, err);
	if (!rc && f->stop)
		sqlite3_progress_handler(s->accounts.conn, STEPS, on_progress,
					 (void *)(uintptr_t)f);
	if (rc)
		pthread_mutex_unlock(&s->accounts_lock);
	return rc;
}

void accounting_end(struct store *s, int rc, const struct armada_error *err)
{
	sqlite3_progress_handler(s->accounts.conn, 0, NULL, NULL);
	pthread_mutex_unlock(&s->accounts_lock);
	if (rc != -EUCLEAN)
		return;
	pthread_mutex_lock(&s->reader_lock);
	history_report(s, rc, err);
	pthread_mutex_unlock(&s->reader_lock);
}
