/*
 * Writing the history: rows of ended elements, and the detail of jobs that have left memory.
 *
 * In: rows, jobs, and the sequence up to which the history is then complete. All of it is one transaction.
 * A row or blob that exists is kept, so a batch may be written again after a crash.
 */
#include "crc32c.h"
#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"
#include "le.h"
#include "reserve.h"

#include <errno.h>
#include <inttypes.h>

static const char doing[] = "cannot be written";

static int put_row(struct db *db, const struct armada_history_row *r, struct armada_error *err)
{
	const uint64_t numbers[] = {r->job, r->first_element, r->attempt, r->last_element};
	const char *texts[] = {r->user, r->queue, r->job_set, r->name, r->nodes};
	int rc;

	if (r->job > INT64_MAX || r->seq > INT64_MAX)
		return fail(err, -EINVAL, "job id %" PRIu64 " is too large", r->job);
	for (int i = 0; i < 4; i++)
		db_bind_u64(db, PUT_ROW, 1 + i, numbers[i]);
	db_bind_u64(db, PUT_ROW, 5, (uint64_t)(int64_t)r->state);
	db_bind_u64(db, PUT_ROW, 6, r->uid);
	for (int i = 0; i < 5; i++)
		db_bind_text(db, PUT_ROW, 7 + i, texts[i]);
	db_bind_u64(db, PUT_ROW, 12, (uint64_t)r->submit_us);
	db_bind_u64(db, PUT_ROW, 13, (uint64_t)r->start_us);
	db_bind_u64(db, PUT_ROW, 14, (uint64_t)r->end_us);
	db_bind_u64(db, PUT_ROW, 15, r->seq);
	db_bind_blob(db, PUT_ROW, 16, r->row, r->row_len);
	rc = db_run(db, PUT_ROW, doing, err);
	if (rc || !r->account || !r->account[0])
		return rc;
	db_bind_text(db, PUT_ACCOUNT, 1, r->account);
	for (int i = 0; i < 3; i++)
		db_bind_u64(db, PUT_ACCOUNT, 2 + i, numbers[i]);
	return db_run(db, PUT_ACCOUNT, doing, err);
}

static int put_blob(struct db *db, const struct armada_history_blob *blob, bool slim,
		    struct armada_error *err)
{
	if (!blob->data || slim)
		return 0;
	db_bind_blob(db, PUT_BLOB, 1, blob->hash, sizeof(blob->hash));
	db_bind_blob(db, PUT_BLOB, 2, blob->data, blob->len);
	return db_run(db, PUT_BLOB, doing, err);
}

static int note_used(struct db *db, const struct armada_history_blob *blob, uint64_t job,
		     struct armada_error *err)
{
	if (!blob->data)
		return 0;
	db_bind_blob(db, PUT_BLOB_USED, 1, blob->hash, sizeof(blob->hash));
	db_bind_u64(db, PUT_BLOB_USED, 2, job);
	return db_run(db, PUT_BLOB_USED, doing, err);
}

/* slim: without script and environment. */
static int put_job(struct db *db, const struct armada_history_job *j, bool slim,
		   struct armada_error *err)
{
	int rc = put_blob(db, &j->script, slim, err);

	if (!rc)
		rc = put_blob(db, &j->env, slim, err);
	if (rc)
		return rc;
	if (j->job > INT64_MAX || j->seq > INT64_MAX)
		return fail(err, -EINVAL, "job id %" PRIu64 " is too large", j->job);
	db_bind_u64(db, PUT_JOB, 1, j->job);
	db_bind_u64(db, PUT_JOB, 2, j->seq);
	db_bind_blob(db, PUT_JOB, 3, j->detail, j->detail_len);
	/* An unbound column is NULL: no such blob. */
	if (j->script.data)
		db_bind_blob(db, PUT_JOB, 4, j->script.hash, sizeof(j->script.hash));
	if (j->env.data)
		db_bind_blob(db, PUT_JOB, 5, j->env.hash, sizeof(j->env.hash));
	rc = db_run(db, PUT_JOB, doing, err);
	if (!rc)
		rc = note_used(db, &j->script, j->job, err);
	return rc ? rc : note_used(db, &j->env, j->job, err);
}

static int put_seq(struct db *db, uint64_t seq, struct armada_error *err)
{
	uint8_t le[8];

	put_le64(le, seq);
	db_bind_u64(db, PUT_META_SET, 1, META_HISTORY_SEQ);
	db_bind_blob(db, PUT_META_SET, 2, le, sizeof(le));
	db_bind_u64(db, PUT_META_SET, 3, crc32c(META_HISTORY_SEQ, le, sizeof(le)));
	return db_run(db, PUT_META_SET, doing, err);
}

static int write_once(struct store *s, history_write_fn *put, const void *arg,
		      struct armada_error *err)
{
	struct db *db = &s->history;
	int rc = history_ready(db, err);

	if (!rc)
		rc = db_run(db, PUT_BEGIN, doing, err);
	if (!rc)
		rc = put(s, arg, err);
	if (!rc)
		rc = db_run(db, PUT_COMMIT, "cannot be made durable", err);
	if (rc && db->conn)
		db_roll_back(db, PUT_ROLLBACK);
	return rc;
}

int history_write(struct store *s, history_write_fn *put, const void *arg, struct armada_error *err)
{
	int rc = write_once(s, put, arg, err);

	if (rc && history_mend(s, rc, err))
		rc = write_once(s, put, arg, err);
	while (rc == -ENOSPC && reserve_release(s))
		rc = write_once(s, put, arg, err);
	return rc;
}

/* The arguments of history_put. */
struct ends {
	uint64_t seq;
	const struct armada_history_row *rows;
	size_t row_count;
	const struct armada_history_job *jobs;
	size_t job_count;
};

static int put_ends(struct store *s, const void *arg, struct armada_error *err)
{
	const struct ends *e = arg;
	struct db *db = &s->history;
	int rc = 0;

	for (size_t i = 0; i < e->row_count && !rc; i++)
		rc = put_row(db, &e->rows[i], err);
	for (size_t i = 0; i < e->job_count && !rc; i++)
		rc = put_job(db, &e->jobs[i], s->slim, err);
	if (!rc && e->seq > atomic_load(&s->history_seq))
		rc = put_seq(db, e->seq, err);
	return rc;
}

static void set_slim(struct store *s, bool slim)
{
	if (slim && !s->slim)
		store_log(
			s, 4,
			"%s: the disk is full: scripts and environments of jobs that end now are not kept "
			"in the history",
			s->dir);
	s->slim = slim;
}

int history_put(void *handle, uint64_t seq, const struct armada_history_row *rows, size_t row_count,
		const struct armada_history_job *jobs, size_t job_count, struct armada_error *err)
{
	const struct ends ends = {seq, rows, row_count, jobs, job_count};
	struct store *s = handle;
	int rc = store_check(s, err);

	if (rc)
		return rc;
	if (seq > atomic_load(&s->last_seq))
		return fail(err, -EINVAL,
			    "the history cannot be complete up to record %" PRIu64
			    ": the last one is %" PRIu64,
			    seq, atomic_load(&s->last_seq));
	set_slim(s, atomic_load(&s->full));
	rc = write_once(s, put_ends, &ends, err);
	/* Scripts may be large: they must not use the reserve up. */
	if (rc == -ENOSPC && !s->slim)
		set_slim(s, true);
	if (rc)
		rc = history_write(s, put_ends, &ends, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	if (seq > atomic_load(&s->history_seq))
		atomic_store(&s->history_seq, seq);
	history_checkpoint(s);
	return 0;
}
