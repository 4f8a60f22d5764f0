/*
 * Reading the ends of the history in the order of their records (ends.h).
 *
 * In: a place, and whether ends of elements, of whole jobs, or also starts are wanted. Out: the ends
 * after it, and how many there are. Rows are written in the order of their records, so what is
 * after a place stays after it. A row that is written again after a crash keeps its record.
 */
#include "ends.h"

#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"

#include <errno.h>

static void bind_place(struct db *db, int stmt, const struct armada_history_place *p,
		       enum armada_ends which, uint64_t upto)
{
	db_bind_u64(db, stmt, 1, p->seq);
	db_bind_u64(db, stmt, 2, p->job);
	if (which == ARMADA_ENDS_JOBS)
		return;
	db_bind_u64(db, stmt, 3, p->first_element);
	db_bind_u64(db, stmt, 4, p->attempt);
	if (which == ARMADA_ENDS_ALL)
		db_bind_u64(db, stmt, 6, upto);
}

static int read_ends(struct db *db, int stmt, armada_state_end_fn *on_end, void *arg,
		     struct armada_error *err)
{
	sqlite3_stmt *st = db->stmt[stmt];
	int rc;

	while ((rc = db_step(db, stmt, "cannot be read", err)) > 0) {
		const struct armada_history_place place = {
			.seq = (uint64_t)sqlite3_column_int64(st, 0),
			.job = (uint64_t)sqlite3_column_int64(st, 1),
			.first_element = (uint32_t)sqlite3_column_int64(st, 2),
			.attempt = (uint32_t)sqlite3_column_int64(st, 3),
		};

		rc = on_end(arg, &place, sqlite3_column_blob(st, 4),
			    (size_t)sqlite3_column_bytes(st, 4));
		if (rc)
			break;
	}
	db_reset(db, stmt);
	return rc;
}

static int count_ends(struct db *db, int stmt, uint64_t *ret_count, struct armada_error *err)
{
	int rc = db_step(db, stmt, "cannot be read", err);

	if (rc > 0)
		*ret_count = (uint64_t)sqlite3_column_int64(db->stmt[stmt], 0);
	db_reset(db, stmt);
	return rc < 0 ? rc : 0;
}

int ends_find(void *handle, const struct armada_history_place *after, enum armada_ends which,
	      uint32_t limit, armada_state_end_fn *on_end, void *arg, uint64_t *ret_behind,
	      struct armada_error *err)
{
	static const int finds[] = {FIND_ENDS, FIND_ENDED_JOBS, FIND_ALL_ENDS};
	static const int counts[] = {FIND_ENDS_COUNT, FIND_ENDED_JOBS_COUNT, FIND_ALL_ENDS_COUNT};
	int find = finds[which], count = counts[which];
	struct store *s = handle;
	struct db *db = &s->reader;
	uint64_t upto = atomic_load(&s->history_seq);
	int rc = store_check(s, err);

	if (rc)
		return rc;
	pthread_mutex_lock(&s->reader_lock);
	rc = history_ready(db, err);
	if (!rc) {
		bind_place(db, count, after, which, upto);
		rc = count_ends(db, count, ret_behind, err);
	}
	if (!rc && *ret_behind && limit) {
		bind_place(db, find, after, which, upto);
		db_bind_u64(db, find, 5, limit);
		rc = read_ends(db, find, on_end, arg, err);
	}
	history_report(s, rc, err);
	pthread_mutex_unlock(&s->reader_lock);
	return rc;
}
