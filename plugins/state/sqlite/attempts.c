/*
 * Writing the attempts of elements that wait again, and starts (history.h). find.c reads them.
 *
 * In: rows as of history_put. A row that exists is kept, so a batch may be written again after a crash.
 */
#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"

#include <errno.h>
#include <inttypes.h>

/* The arguments of attempts_put. */
struct attempts {
	const struct armada_history_row *rows;
	size_t count;
};

static int put_start(struct db *db, const struct armada_history_row *r, struct armada_error *err)
{
	db_bind_u64(db, PUT_START, 1, r->job);
	db_bind_u64(db, PUT_START, 2, r->first_element);
	db_bind_u64(db, PUT_START, 3, r->attempt);
	db_bind_u64(db, PUT_START, 4, r->seq);
	db_bind_blob(db, PUT_START, 5, r->row, r->row_len);
	return db_run(db, PUT_START, "cannot be written", err);
}

static int put_attempt(struct db *db, const struct armada_history_row *r, struct armada_error *err)
{
	const char *texts[] = {r->user, r->queue, r->job_set, r->name, r->account};

	if (r->job > INT64_MAX || r->seq > INT64_MAX)
		return fail(err, -EINVAL, "job id %" PRIu64 " is too large", r->job);
	if (r->start)
		return put_start(db, r, err);
	db_bind_u64(db, PUT_ATTEMPT, 1, r->job);
	db_bind_u64(db, PUT_ATTEMPT, 2, r->first_element);
	db_bind_u64(db, PUT_ATTEMPT, 3, r->attempt);
	db_bind_u64(db, PUT_ATTEMPT, 4, r->seq);
	db_bind_u64(db, PUT_ATTEMPT, 5, (uint64_t)(int64_t)r->state);
	for (int i = 0; i < 5; i++)
		db_bind_text(db, PUT_ATTEMPT, 6 + i, texts[i] ? texts[i] : "");
	db_bind_blob(db, PUT_ATTEMPT, 11, r->row, r->row_len);
	return db_run(db, PUT_ATTEMPT, "cannot be written", err);
}

static int put_attempts(struct store *s, const void *arg, struct armada_error *err)
{
	const struct attempts *a = arg;
	int rc = 0;

	for (size_t i = 0; i < a->count && !rc; i++)
		rc = put_attempt(&s->history, &a->rows[i], err);
	return rc;
}

int attempts_put(void *handle, const struct armada_history_row *rows, size_t count,
		 struct armada_error *err)
{
	const struct attempts attempts = {rows, count};
	struct store *s = handle;
	int rc = store_check(s, err);

	if (rc)
		return rc;
	rc = history_write(s, put_attempts, &attempts, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	history_checkpoint(s);
	return 0;
}
