/*
 * Writing the table `accounting`, and the labels of jobs beside it.
 *
 * In: attempts. A row that exists is kept, so a batch may be written again after a crash. An amount that
 * is not known is NULL. The end is part of the key; it is never before the submission, so that the wrong
 * clock of a node cannot make an attempt so old that it is pruned.
 */
#include "accounting.h"
#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"

#include <errno.h>
#include <inttypes.h>

static int64_t end_of(const struct armada_attempt *a)
{
	return a->end_us > a->submit_us ? a->end_us : a->submit_us;
}

static void bind_amounts(sqlite3_stmt *st, int at, const int64_t *list, int count)
{
	for (int i = 0; i < count; i++)
		if (list[i] >= 0)
			sqlite3_bind_int64(st, at + i, list[i]);
}

static int add_labels(struct db *db, const struct armada_attempt *a, struct armada_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < a->label_count && !rc; i++) {
		db_bind_u64(db, PUT_JOB_LABEL, 1, a->job);
		db_bind_text(db, PUT_JOB_LABEL, 2, a->labels[i].key);
		db_bind_text(db, PUT_JOB_LABEL, 3, a->labels[i].value);
		rc = db_run(db, PUT_JOB_LABEL, "cannot be written", err);
	}
	return rc;
}

int accounting_add(struct db *db, const struct armada_attempt *a, struct armada_error *err)
{
	const int64_t numbers[] = {end_of(a),
				   (int64_t)a->job,
				   a->first_element,
				   a->attempt,
				   a->last_element,
				   a->start_us,
				   a->eligible_us ? a->eligible_us : a->submit_us,
				   a->state,
				   a->lost,
				   a->uid,
				   a->gid,
				   a->requeued,
				   a->submit_us,
				   a->exit_code,
				   a->exit_signal,
				   (int64_t)a->for_job,
				   a->for_element,
				   a->tasks,
				   a->node_count};
	const int64_t amounts[] = {a->cpu_milli,  a->memory_bytes, a->gpus,
				   a->cpu_us,     a->user_us,      a->system_us,
				   a->peak_bytes, a->read_bytes,   a->written_bytes};
	const char *texts[] = {a->user,      a->account,        a->queue,    a->job_set,
			       a->name,      a->priority_class, a->reason,   a->by,
			       a->for_queue, a->nodes,          a->resources};
	enum {
		NUMBERS = sizeof(numbers) / sizeof(numbers[0]),
		AMOUNTS = sizeof(amounts) / sizeof(amounts[0]),
		TEXTS = sizeof(texts) / sizeof(texts[0])
	};
	int rc;

	if (a->job > INT64_MAX)
		return fail(err, -EINVAL, "job id %" PRIu64 " is too large", a->job);
	for (int i = 0; i < NUMBERS; i++)
		sqlite3_bind_int64(db->stmt[PUT_ACCOUNTING], 1 + i, numbers[i]);
	bind_amounts(db->stmt[PUT_ACCOUNTING], 1 + NUMBERS, amounts, AMOUNTS);
	for (int i = 0; i < TEXTS; i++)
		db_bind_text(db, PUT_ACCOUNTING, 1 + NUMBERS + AMOUNTS + i, texts[i]);
	rc = db_run(db, PUT_ACCOUNTING, "cannot be written", err);
	return rc ? rc : add_labels(db, a, err);
}

/* The arguments of accounting_put. */
struct attempts {
	const struct armada_attempt *list;
	size_t count;
};

static int put(struct store *s, const void *arg, struct armada_error *err)
{
	const struct attempts *a = arg;
	int rc = 0;

	for (size_t i = 0; i < a->count && !rc; i++)
		rc = accounting_add(&s->history, &a->list[i], err);
	return rc;
}

int accounting_put(void *handle, const struct armada_attempt *list, size_t count,
		   struct armada_error *err)
{
	const struct attempts attempts = {list, count};
	struct store *s = handle;
	int rc = store_check(s, err);

	if (rc)
		return rc;
	rc = history_write(s, put, &attempts, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	history_checkpoint(s);
	return 0;
}
