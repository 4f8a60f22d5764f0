/*
 * The history in the long run: rows of an earlier release become attempts, and old attempts are deleted.
 *
 * In: steps, called by the thread that writes the history while it has time. Out: one short transaction
 * each. First all rows that an earlier release has written are imported, a few at a time. Then attempts
 * are deleted, the oldest first, whose age exceeds history_keep, and as many as history_size demands. With
 * the last row of a job its detail goes, and scripts and environments that no job has any more.
 *
 * Caveats: age is measured from the newest attempt if the clock is ahead of it, so that a clock that jumps
 * deletes nothing. Deleted rows leave free pages, which later rows use; the file itself does not shrink.
 */
#include "accounting.h"
#include "db.h"
#include "error.h"
#include "events.h"
#include "history.h"
#include "history_file.h"

#include <errno.h>

enum { STEP_ROWS = 100, STEP_BLOBS = 20 };

/* The tables whose rows are imported, in this order. */
enum phase { PHASE_ROWS, PHASE_ATTEMPTS, PHASE_BLOBS, PHASE_DONE };

static const char *const import_sql[PHASE_DONE] = {
	[PHASE_ROWS] = "SELECT job, first_element, attempt, row FROM row "
		       "WHERE (job, first_element, attempt) > (?1, ?2, ?3) "
		       "ORDER BY job, first_element, attempt LIMIT ?4",
	[PHASE_ATTEMPTS] = "SELECT job, element, attempt, row FROM attempt "
			   "WHERE (job, element, attempt) > (?1, ?2, ?3) "
			   "ORDER BY job, element, attempt LIMIT ?4",
	[PHASE_BLOBS] = ("SELECT job, 0, 0, script, env FROM job WHERE job > ?1 "
			 "ORDER BY job LIMIT ?4"),
};

struct step {
	struct store *s;
	struct db *db;
	armada_attempt_of_fn *attempt_of;
	void *arg;
	int64_t now_us;
	int64_t events_us;    /* job events before this time are deleted; 0: none */
	int64_t phase, at[3]; /* of the import: job, element and attempt of the last row */
	bool more;
};

static sqlite3_stmt *prepare(struct step *p, const char *sql, struct armada_error *err)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(p->db->conn, sql, -1, &st, NULL) != SQLITE_OK)
		fail_db(err, p->db, "cannot be read");
	return st;
}

/* 1: a row; 0: no more. */
static int step(struct step *p, sqlite3_stmt *st, struct armada_error *err)
{
	int rc = sqlite3_step(st);

	return rc == SQLITE_ROW    ? 1
	       : rc == SQLITE_DONE ? 0
				   : fail_db(err, p->db, "cannot be written");
}

/* Runs a statement with up to four integers. */
static int run(struct step *p, const char *sql, const int64_t *values, int count,
	       struct armada_error *err)
{
	sqlite3_stmt *st = prepare(p, sql, err);
	int rc;

	if (!st)
		return -EIO;
	for (int i = 0; i < count; i++)
		sqlite3_bind_int64(st, 1 + i, values[i]);
	rc = step(p, st, err);
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

static int read_cursor(struct step *p, struct armada_error *err)
{
	sqlite3_stmt *st = prepare(p, "SELECT phase, job, element, attempt FROM imported", err);
	int rc = st ? step(p, st, err) : -EIO;

	p->phase = rc > 0 ? sqlite3_column_int64(st, 0) : PHASE_ROWS;
	for (int i = 0; i < 3; i++)
		p->at[i] = rc > 0 ? sqlite3_column_int64(st, 1 + i) : -1;
	sqlite3_finalize(st);
	return rc < 0 ? rc : 0;
}

static int write_cursor(struct step *p, struct armada_error *err)
{
	const int64_t values[] = {p->phase, p->at[0], p->at[1], p->at[2]};
	int rc = run(p, "DELETE FROM imported", NULL, 0, err);

	return rc ? rc : run(p, "INSERT INTO imported VALUES (?1, ?2, ?3, ?4)", values, 4, err);
}

/* A row that cannot be read is left out: it is no reason to import no other. */
static int import_row(struct step *p, sqlite3_stmt *st, struct armada_error *err)
{
	struct armada_attempt a;

	if (p->attempt_of(p->arg, sqlite3_column_blob(st, 3), (size_t)sqlite3_column_bytes(st, 3),
			  &a) < 0)
		return 0;
	return accounting_add(p->db, &a, err);
}

static int import_blobs(struct step *p, sqlite3_stmt *st, struct armada_error *err)
{
	int rc = 0;

	for (int column = 3; column <= 4 && !rc; column++) {
		if (sqlite3_column_type(st, column) == SQLITE_NULL)
			continue;
		db_bind_blob(p->db, PUT_BLOB_USED, 1, sqlite3_column_blob(st, column),
			     (size_t)sqlite3_column_bytes(st, column));
		db_bind_u64(p->db, PUT_BLOB_USED, 2, (uint64_t)p->at[0]);
		rc = db_run(p->db, PUT_BLOB_USED, "cannot be written", err);
	}
	return rc;
}

/* A part of the rows of the phase. */
static int import_some(struct step *p, struct armada_error *err)
{
	sqlite3_stmt *st = prepare(p, import_sql[p->phase], err);
	int rc = st ? 1 : -EIO, count = 0;

	for (int i = 0; st && i < 3; i++)
		sqlite3_bind_int64(st, 1 + i, p->at[i]);
	if (st)
		sqlite3_bind_int64(st, 4, STEP_ROWS);
	while (rc > 0 && (rc = step(p, st, err)) > 0) {
		int done;

		for (int i = 0; i < 3; i++)
			p->at[i] = sqlite3_column_int64(st, i);
		done = p->phase == PHASE_BLOBS ? import_blobs(p, st, err) : import_row(p, st, err);
		rc = done < 0 ? done : 1;
		count++;
	}
	sqlite3_finalize(st);
	if (rc >= 0 && count < STEP_ROWS) {
		p->phase++;
		p->at[0] = p->at[1] = p->at[2] = -1;
	}
	return rc;
}

static int import_step(struct store *s, const void *arg, struct armada_error *err)
{
	struct step *p = (struct step *)(uintptr_t)arg;
	int rc = read_cursor(p, err);

	(void)s;
	if (!rc && p->phase < PHASE_DONE) {
		rc = import_some(p, err);
		if (!rc)
			rc = write_cursor(p, err);
	}
	return rc;
}

static int count_pages(struct step *p, int64_t *ret_used_bytes, struct armada_error *err)
{
	int64_t pages = 0, free_pages = 0, bytes = 0;
	int rc = db_query(p->db, "PRAGMA page_count", &pages, err);

	if (!rc)
		rc = db_query(p->db, "PRAGMA freelist_count", &free_pages, err);
	if (!rc)
		rc = db_query(p->db, "PRAGMA page_size", &bytes, err);
	*ret_used_bytes = (pages - free_pages) * bytes;
	return rc;
}

/* Attempts that ended before the result are deleted; 0: none. */
static int find_cut(struct step *p, int64_t *ret_us, struct armada_error *err)
{
	struct store *s = p->s;
	int64_t newest_us = 0, oldest_us = 0, used = 0;
	int rc =
		db_query(p->db, "SELECT coalesce(max(end_us), 0) FROM accounting", &newest_us, err);

	if (!rc)
		rc = db_query(p->db, "SELECT coalesce(min(end_us), 0) FROM accounting", &oldest_us,
			      err);
	if (!rc)
		rc = count_pages(p, &used, err);
	if (rc)
		return rc;
	atomic_store(&s->used_bytes, (uint64_t)used);
	atomic_store(&s->oldest_us, oldest_us);
	*ret_us = 0;
	if (s->history_kept_us)
		*ret_us = (newest_us < p->now_us ? newest_us : p->now_us) - s->history_kept_us;
	p->events_us = *ret_us;
	if (s->history_bytes && (uint64_t)used > s->history_bytes) {
		*ret_us = INT64_MAX;
		p->events_us = oldest_us > p->events_us ? oldest_us : p->events_us;
	}
	if (oldest_us == 0 || *ret_us <= oldest_us)
		*ret_us = 0;
	return 0;
}

static const char *const row_deletes[] = {
	"DELETE FROM row WHERE job = ?1 AND first_element = ?2 AND attempt = ?3",
	"DELETE FROM job WHERE job = ?1 AND NOT EXISTS (SELECT 1 FROM row WHERE job = ?1)",
};
/* After both. */
static const char *const start_delete =
	"DELETE FROM start WHERE job = ?1 AND NOT EXISTS "
	"(SELECT 1 FROM row WHERE job = ?1) AND NOT EXISTS (SELECT 1 FROM attempt WHERE job = ?1)";
static const char *const label_delete =
	"DELETE FROM job_label WHERE job = ?1 AND NOT EXISTS "
	"(SELECT 1 FROM row WHERE job = ?1) AND NOT EXISTS (SELECT 1 FROM attempt WHERE job = ?1)";
static const char *const attempt_deletes[] = {
	"DELETE FROM attempt WHERE job = ?1 AND element = ?2 AND attempt = ?3",
};

static int delete_one(struct step *p, sqlite3_stmt *st, struct armada_error *err)
{
	const int64_t key[] = {sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 2),
			       sqlite3_column_int64(st, 3), sqlite3_column_int64(st, 0)};
	const char *account = (const char *)sqlite3_column_text(st, 5);
	bool requeued = sqlite3_column_int(st, 4) != 0;
	sqlite3_stmt *of_account;
	int rc = run(p,
		     "DELETE FROM accounting WHERE job = ?1 AND first_element = ?2 AND "
		     "attempt = ?3 AND end_us = ?4",
		     key, 4, err);

	if (!rc)
		rc = run(p, requeued ? attempt_deletes[0] : row_deletes[0], key, 3, err);
	if (!rc && !requeued)
		rc = run(p, row_deletes[1], key, 1, err);
	if (!rc)
		rc = run(p, label_delete, key, 1, err);
	if (!rc)
		rc = run(p, start_delete, key, 1, err);
	if (requeued)
		return rc;
	if (rc || !account || !account[0])
		return rc;
	of_account = prepare(p,
			     "DELETE FROM account WHERE account = ?4 AND job = ?1 AND "
			     "first_element = ?2 AND attempt = ?3",
			     err);
	if (!of_account)
		return -EIO;
	for (int i = 0; i < 3; i++)
		sqlite3_bind_int64(of_account, 1 + i, key[i]);
	sqlite3_bind_text(of_account, 4, account, -1, SQLITE_STATIC);
	rc = step(p, of_account, err);
	sqlite3_finalize(of_account);
	return rc;
}

/* Scripts and environments whose last job is older than every job that is kept. */
static int delete_blobs(struct step *p, struct armada_error *err)
{
	static const int64_t limit = STEP_BLOBS;
	int rc = run(p,
		     "DELETE FROM blob WHERE hash IN (SELECT hash FROM blob_used WHERE last_job < "
		     "(SELECT min(job) FROM job) ORDER BY last_job, hash LIMIT ?1)",
		     &limit, 1, err);

	return rc ? rc
		  : run(p,
			"DELETE FROM blob_used WHERE hash IN (SELECT hash FROM blob_used WHERE "
			"last_job < (SELECT min(job) FROM job) ORDER BY last_job, hash LIMIT ?1)",
			&limit, 1, err);
}

static int prune_step(struct store *s, const void *arg, struct armada_error *err)
{
	struct step *p = (struct step *)(uintptr_t)arg;
	sqlite3_stmt *st;
	int64_t cut_us;
	int count = 0, rc = find_cut(p, &cut_us, err);

	if (!rc && p->events_us > 0)
		rc = events_prune(s, p->events_us, &p->more, err);
	if (rc || !cut_us)
		return rc;
	st = prepare(
		p,
		"SELECT end_us, job, first_element, attempt, requeued, account FROM accounting "
		"WHERE end_us < ?1 ORDER BY end_us, job, first_element, attempt LIMIT ?2",
		err);
	if (!st)
		return -EIO;
	sqlite3_bind_int64(st, 1, cut_us);
	sqlite3_bind_int64(st, 2, STEP_ROWS);
	while ((rc = step(p, st, err)) > 0) {
		rc = delete_one(p, st, err);
		if (rc < 0)
			break;
		count++;
	}
	sqlite3_finalize(st);
	if (!rc)
		rc = delete_blobs(p, err);
	if (!rc)
		atomic_fetch_add(&s->pruned, (uint64_t)count);
	p->more |= count > 0;
	return rc;
}

int accounting_tidy(void *handle, int64_t now_us, armada_attempt_of_fn *attempt_of, void *arg,
		    struct armada_error *err)
{
	struct store *s = handle;
	struct step p = {.s = s, .attempt_of = attempt_of, .arg = arg, .now_us = now_us};
	int rc = store_check(s, err);

	if (rc)
		return rc;
	p.db = &s->history;
	rc = history_write(s, s->imported ? prune_step : import_step, &p, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	if (!s->imported) {
		p.more = true; /* the first step of pruning follows */
		s->imported = p.phase == PHASE_DONE;
	}
	atomic_store(&s->incomplete, !s->imported);
	history_checkpoint(s);
	return p.more;
}

int accounting_space(void *handle, struct armada_history_space *ret_space, struct armada_error *err)
{
	struct store *s = handle;

	(void)err;
	*ret_space = (struct armada_history_space){
		.used_bytes = atomic_load(&s->used_bytes),
		.bound_bytes = s->history_bytes,
		.oldest_us = atomic_load(&s->oldest_us),
		.keep_us = s->history_kept_us,
		.pruned = atomic_load(&s->pruned),
		.incomplete = atomic_load(&s->incomplete),
	};
	return 0;
}
