/*
 * Opening a state: check everything that a replay will need, then take it.
 *
 * In: a directory. Out: a store, or an error that names the file, the place and the loss. Nothing is
 * written before all checks have passed: `failed` is set until then, so that even close writes nothing. The
 * order of the checks is in plugins/state/README.md, section "Opening".
 *
 * Recovery after a crash: SQLite reads the WAL and drops an unfinished last transaction. That is correct,
 * since its records were never acknowledged. But SQLite also drops all transactions behind a damaged frame,
 * and these were acknowledged. Two checks find this loss. Before SQLite opens the file, walscan.c searches
 * for a valid later transaction behind a bad frame. Afterwards the log must reach the last acknowledged
 * record, which log.mark contains (mark.c). Then the newest complete snapshot is chosen, and the hash chain
 * of all records after it is verified. store_replay() gives both to the controller. Nothing is repaired: a
 * state that fails a check is refused and not changed.
 */
#include "db.h"
#include "dir.h"
#include "error.h"
#include "history_file.h"
#include "log_check.h"
#include "log_file.h"
#include "mark.h"
#include "record.h"
#include "reserve.h"
#include "snapshot.h"
#include "store.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_presence(const struct store *s, struct armada_error *err)
{
	if (dir_has(s->dir_fd, "log.db"))
		return 0;
	if (!dir_has(s->dir_fd, "history.db"))
		return fail(err, -ENOENT,
			    "%s: there is no state here (is its file system mounted? a new "
			    "cluster's state is made with `armctld --init`)",
			    s->dir);
	return fail(err, -EUCLEAN,
		    "%s: log.db is missing, though history.db is there; put it back from where it "
		    "went, or move the rest away and make a new state with `armctld --init`",
		    s->dir);
}

/* The history is never ahead of the log. */
static int check_history(const struct store *s, uint64_t last, struct armada_error *err)
{
	uint64_t history = atomic_load(&s->history_seq);

	if (history <= last)
		return 0;
	return fail(err, -EUCLEAN,
		    "log.db ends at record %" PRIu64 ", but history.db contains record %" PRIu64
		    ": the log is damaged or an old copy",
		    last, history);
}

static int check_mark(const struct store *s, const struct mark *mark, uint64_t last,
		      const uint8_t hash[HASH_BYTES], struct armada_error *err)
{
	if (last < mark->seq)
		return fail(err, -EUCLEAN,
			    "log.db ends at record %" PRIu64 ", but record %" PRIu64
			    " was acknowledged (%s/log.mark): log.db or its WAL is damaged, cut or "
			    "an old copy",
			    last, mark->seq, s->dir);
	if (last == mark->seq && mark->seq && memcmp(hash, mark->hash, HASH_BYTES) != 0)
		return fail(err, -EUCLEAN,
			    "record %" PRIu64 " of log.db is not the one that was acknowledged "
			    "(%s/log.mark): log.db is a copy of another log",
			    last, s->dir);
	return 0;
}

static int find_snapshots(struct store *s, bool has_history, struct armada_error *err)
{
	struct armada_error why;
	int rc = snapshot_find(s, &s->newest, &s->older, err);

	if (!rc)
		rc = record_first(s, &s->first_seq, err);
	if (rc)
		return rc;
	if (!s->first_seq)
		s->first_seq = s->newest.seq + 1;
	if (!has_history) /* its rows are written again from the replay */
		atomic_store(&s->history_seq, s->newest.seq);
	if (s->older.seq && snapshot_base(s) == &s->older &&
	    snapshot_read(s, &s->older, NULL, NULL, &why)) {
		store_log(s, 3,
			  "%s: %s; queries do not find jobs that ended after record %" PRIu64
			  " and before the newest snapshot",
			  s->dir, why.text, atomic_load(&s->history_seq));
		atomic_store(&s->history_seq, s->newest.seq);
	}
	return 0;
}

static int check_records(struct store *s, bool has_history, struct armada_error *err)
{
	struct mark mark = {0};
	uint64_t last = 0;
	int rc = find_snapshots(s, has_history, err);

	if (rc)
		return rc;
	rc = record_read(s, snapshot_base(s), NULL, NULL, &last, s->last_hash, err);
	if (rc)
		return rc;
	rc = check_history(s, last, err);
	if (rc)
		return rc;
	rc = mark_open(s, &mark, err);
	if (rc > 0)
		rc = check_mark(s, &mark, last, s->last_hash, err);
	if (rc)
		return rc;
	atomic_store(&s->last_seq, last);
	atomic_store(&s->snapshot_seq, s->newest.seq);
	return 0;
}

/*
 * Called after all checks; this is the first function that writes. The WAL is emptied, so that the next scan
 * does not find frames of a torn transaction and report damage.
 */
/* torn: the WAL ends with a torn transaction. */
static int settle(struct store *s, bool torn, struct armada_error *err)
{
	const char *why = NULL;
	bool must = false;
	int rc = mark_write(s, true);

	if (rc)
		return fail_sys(err, rc, "log.mark: cannot be written");
	do
		rc = db_truncate_wal(&s->log, err);
	while (rc == -ENOSPC && reserve_release(s));
	if (!rc)
		rc = log_check(s, atomic_load(&s->last_seq), &why, &must, err);
	if (!rc && why)
		rc = log_rewrite(s, why, err);
	if (rc == -ENOSPC && !must && !torn) {
		store_log(s, 4, "%s: no room to tidy up (%s): the log is used as it is", s->dir,
			  err ? err->text : "");
		rc = 0;
	}
	if (!rc)
		rc = record_first(s, &s->first_seq, err);
	if (!rc && !s->first_seq)
		s->first_seq = atomic_load(&s->last_seq) + 1;
	s->look_for_space = true;
	return rc;
}

/* Queries do not find jobs that ended in records that neither the history nor the log has. */
static void report_gap(const struct store *s)
{
	uint64_t history = atomic_load(&s->history_seq);

	if (history < s->newest.seq && history + 1 < s->first_seq)
		store_log(s, 3,
			  "%s/history.db is complete only up to record %" PRIu64
			  ", but the log begins at record %" PRIu64
			  ": it is an old copy, and queries do not find jobs that ended in between",
			  s->dir, history, s->first_seq);
}

/* Also after the log's checks. why: NULL, or what is wrong with the file. */
int store_settle_history(struct store *s, const char *why, struct armada_error *err)
{
	int rc;

	if (why)
		return history_replace(s, atomic_load(&s->history_seq), why, err);
	report_gap(s);
	/* Another program may be reading the history; do not wait for it. */
	sqlite3_busy_timeout(s->history.conn, 0);
	db_truncate_wal(&s->history, NULL);
	sqlite3_busy_timeout(s->history.conn, (int)(s->busy_us / 1000));
	rc = db_complete(&s->history, &put_spec, true, err);
	if (!rc)
		rc = db_complete(&s->reader, &find_spec, false, err);
	if (!rc)
		history_share_group(s);
	if (rc == -EUCLEAN) {
		struct armada_error what = *err;

		rc = history_replace(s, atomic_load(&s->history_seq), what.text, err);
	}
	return rc;
}

static int refuse_damaged(const struct store *s, struct armada_error *err)
{
	struct armada_error inner = *err;
	bool named = strncmp(inner.text, s->dir, strlen(s->dir)) == 0;

	return fail(
		err, -EUCLEAN,
		"%s%s%.300s. Nothing was changed; restore a good copy of the whole directory, or "
		"look at what `armctld --recover` can keep",
		named ? "" : s->dir, named ? "" : ": ", inner.text);
}

static int take(struct store *s, struct armada_error *err)
{
	struct armada_error history_err = {""};
	struct wal_scan scan;
	int history = 0, rc = dir_open(s->dir, &s->dir_fd, err);

	if (rc)
		return rc;
	rc = check_presence(s, err);
	if (!rc)
		rc = dir_check_files(s->dir_fd, s->dir, err);
	if (!rc)
		rc = dir_lock(s->dir_fd, s->dir, &s->lock_fd, err);
	if (!rc)
		rc = dir_scan_wal(s->dir_fd, s->dir, "log.db-wal", &scan, err);
	if (rc == -EUCLEAN)
		return refuse_damaged(s, err);
	if (rc)
		return rc;
	reserve_open(s);
	rc = log_open(s, err);
	if (!rc) {
		history = history_open(s, s->busy_us, &history_err);
		if (history && !history_is_damage(history)) {
			*err = history_err;
			rc = history;
		}
	}
	if (!rc)
		rc = check_records(s, history == 0, err);
	if (!rc)
		rc = settle(s, scan.torn > 0, err);
	if (!rc)
		rc = store_settle_history(s, history ? history_err.text : NULL, err);
	if (rc == -EUCLEAN)
		return refuse_damaged(s, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	s->torn_records = scan.torn ? 1 : 0;
	return 0;
}

bool store_setup(struct store *s, const char *dir, const struct armada_option_value *values,
		 const struct armada_host *host)
{
	if (!(s->dir = strdup(dir)) || sodium_init() < 0)
		return false;
	s->host = host;
	s->dir_fd = s->lock_fd = s->mark_fd = s->log_fd = s->reserve_fd = -1;
	s->wal_limit_bytes = (uint64_t)values[OPTION_WAL_LIMIT].i;
	s->shares_kept_us = values[OPTION_SHARES_KEPT].i;
	s->reserve_option = (uint64_t)values[OPTION_RESERVE].i;
	s->busy_us = values[OPTION_BUSY_TIMEOUT].i;
	s->history_kept_us = values[OPTION_HISTORY_KEEP].i;
	s->history_bytes = (uint64_t)values[OPTION_HISTORY_SIZE].i;
	pthread_mutex_init(&s->reserve_lock, NULL);
	pthread_mutex_init(&s->reader_lock, NULL);
	pthread_mutex_init(&s->accounts_lock, NULL);
	/* Nothing may be written before all checks have passed, not even by close. */
	atomic_store(&s->failed, true);
	return true;
}

struct store *store_new(const char *dir, const struct armada_option_value *values,
			const struct armada_host *host)
{
	struct store *s = calloc(1, sizeof(*s));

	if (s && store_setup(s, dir, values, host))
		return s;
	free(s);
	return NULL;
}

int store_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
	       const struct armada_host *host, struct armada_state_info *ret_info,
	       struct armada_error *err)
{
	struct store *s = store_new(dir, values, host);
	int rc;

	if (!s)
		return fail(err, -ENOMEM, "%s: cannot be opened: out of memory", dir);
	rc = take(s, err);
	if (rc) {
		store_close(s);
		return rc;
	}
	atomic_store(&s->failed, false);
	*ret_info = (struct armada_state_info){
		.last_seq = atomic_load(&s->last_seq),
		.snapshot_seq = s->newest.seq,
		.history_seq = atomic_load(&s->history_seq),
		.torn_records = s->torn_records,
	};
	memcpy(ret_info->cluster_id, s->cluster_id, CLUSTER_ID_BYTES);
	*ret_handle = s;
	return 0;
}

void store_release(struct store *s, bool failed)
{
	db_close(&s->reader, true);
	db_close(&s->accounts, true);
	db_close(&s->history, failed);
	db_close(&s->log, failed);
	if (s->log_fd >= 0)
		close(s->log_fd);
	if (s->mark_fd >= 0)
		close(s->mark_fd);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	if (s->reserve_fd >= 0)
		close(s->reserve_fd);
	pthread_mutex_destroy(&s->reader_lock);
	pthread_mutex_destroy(&s->accounts_lock);
	pthread_mutex_destroy(&s->reserve_lock);
	free(s->dir);
}

void store_close(void *handle)
{
	struct store *s = handle;
	bool failed;

	if (!s)
		return;
	failed = atomic_load(&s->failed);
	if (!failed && mark_write(s, true))
		failed = true;
	store_release(s, failed);
	free(s);
}

int store_replay(void *handle, armada_state_record_fn *on_chunk, armada_state_record_fn *on_record,
		 void *arg, struct armada_error *err)
{
	struct store *s = handle;
	const struct snapshot *base = snapshot_base(s);
	uint8_t hash[HASH_BYTES];
	uint64_t last;
	int rc = store_check(s, err);

	if (!rc && base->seq)
		rc = snapshot_read(s, base, on_chunk, arg, err);
	if (!rc)
		rc = record_read(s, base, on_record, arg, &last, hash, err);
	return rc;
}
