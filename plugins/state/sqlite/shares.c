/*
 * Samples of the shares of queues over time: write and read them.
 *
 * In: samples, or a range of times. Out: one transaction, or the samples in that range, the latest first.
 * Writing deletes samples that are older than the option shares_kept. Age is measured from the newest sample,
 * not by a clock, so samples that are written again after a restart live as long as before.
 */
#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"
#include "shares.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char doing[] = "cannot be written";

static int put_share(struct db *db, const struct armada_history_share *h, struct armada_error *err)
{
	const double numbers[] = {h->cost, h->fair, h->capped, h->weight, h->memory, h->factor};

	db_bind_u64(db, PUT_SHARE, 1, (uint64_t)h->time_us);
	db_bind_text(db, PUT_SHARE, 2, h->queue);
	db_bind_u64(db, PUT_SHARE, 3, h->seq);
	db_bind_text(db, PUT_SHARE, 4, h->fairness);
	for (int i = 0; i < 6; i++)
		/* SQLite stores NaN as NULL, which the table refuses; every retry would fail */
		sqlite3_bind_double(db->stmt[PUT_SHARE], 5 + i,
				    isfinite(numbers[i]) ? numbers[i] : 0);
	return db_run(db, PUT_SHARE, doing, err);
}

static int put_use(struct db *db, const struct armada_history_share *h, struct armada_error *err)
{
	if (!h->from_us)
		return 0;
	db_bind_u64(db, PUT_SHARE_USE, 1, (uint64_t)h->time_us);
	db_bind_text(db, PUT_SHARE_USE, 2, h->queue);
	db_bind_u64(db, PUT_SHARE_USE, 3, (uint64_t)h->from_us);
	sqlite3_bind_double(db->stmt[PUT_SHARE_USE], 4, isfinite(h->level) ? h->level : 0);
	db_bind_u64(db, PUT_SHARE_USE, 5, h->unknown_after);
	return db_run(db, PUT_SHARE_USE, doing, err);
}

static int delete_old(struct store *s, int64_t youngest_us, struct armada_error *err)
{
	int64_t from_us;
	int rc;

	if (__builtin_sub_overflow(youngest_us, s->shares_kept_us, &from_us))
		return 0;
	db_bind_u64(&s->history, PUT_SHARES_CUT, 1, (uint64_t)from_us);
	rc = db_run(&s->history, PUT_SHARES_CUT, doing, err);
	if (rc)
		return rc;
	db_bind_u64(&s->history, PUT_SHARE_USES_CUT, 1, (uint64_t)from_us);
	return db_run(&s->history, PUT_SHARE_USES_CUT, doing, err);
}

/* The arguments of shares_put. */
struct samples {
	const struct armada_history_share *list;
	size_t count;
};

static int put_samples(struct store *s, const void *arg, struct armada_error *err)
{
	const struct samples *samples = arg;
	int64_t youngest_us = INT64_MIN;
	int rc = 0;

	for (size_t i = 0; i < samples->count && !rc; i++) {
		rc = put_share(&s->history, &samples->list[i], err);
		if (!rc)
			rc = put_use(&s->history, &samples->list[i], err);
		if (samples->list[i].time_us > youngest_us)
			youngest_us = samples->list[i].time_us;
	}
	return rc ? rc : delete_old(s, youngest_us, err);
}

int shares_put(void *handle, const struct armada_history_share *shares, size_t count,
	       struct armada_error *err)
{
	const struct samples samples = {shares, count};
	struct store *s = handle;
	int rc = store_check(s, err);

	if (rc)
		return rc;
	rc = history_write(s, put_samples, &samples, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	history_checkpoint(s);
	return 0;
}

int shares_find(void *handle, const char *const *queues, size_t queue_count, int64_t since_us,
		int64_t until_us, armada_state_share_fn *on_share, void *arg,
		struct armada_error *err)
{
	struct store *s = handle;
	struct db *db = &s->reader;
	sqlite3_stmt *st = db->stmt[FIND_SHARES];
	int rc = store_check(s, err);

	if (rc)
		return rc;
	pthread_mutex_lock(&s->reader_lock);
	rc = history_ready(db, err);
	if (rc) {
		pthread_mutex_unlock(&s->reader_lock);
		return rc;
	}
	db_bind_u64(db, FIND_SHARES, 1, (uint64_t)since_us);
	db_bind_u64(db, FIND_SHARES, 2, (uint64_t)until_us);
	while ((rc = db_step(db, FIND_SHARES, "cannot be read", err)) > 0) {
		const char *queue = (const char *)sqlite3_column_text(st, 1);
		const char *fairness = (const char *)sqlite3_column_text(st, 3);
		struct armada_history_share h = {
			.time_us = sqlite3_column_int64(st, 0),
			.queue = queue ? queue : "",
			.seq = (uint64_t)sqlite3_column_int64(st, 2),
			.fairness = fairness ? fairness : "",
			.cost = sqlite3_column_double(st, 4),
			.fair = sqlite3_column_double(st, 5),
			.capped = sqlite3_column_double(st, 6),
			.weight = sqlite3_column_double(st, 7),
			.memory = sqlite3_column_double(st, 8),
			.factor = sqlite3_column_double(st, 9),
			.from_us = sqlite3_column_int64(st, 10), /* NULL gives 0 */
			.level = sqlite3_column_double(st, 11),
			.unknown_after = sqlite3_column_int64(st, 12) != 0,
		};

		if (!find_is_listed(h.queue, queues, queue_count))
			continue;
		rc = on_share(arg, &h);
		if (rc)
			break;
	}
	db_reset(db, FIND_SHARES);
	history_report(s, rc, err);
	pthread_mutex_unlock(&s->reader_lock);
	return rc;
}
