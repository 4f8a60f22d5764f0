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
#include "le.h"
#include "mark.h"
#include "record.h"
#include "snapshot.h"
#include "store.h"
#include "walscan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_presence(const struct store *s, struct armada_error *err)
{
	bool log = dir_has(s->dir_fd, "log.db"), history = dir_has(s->dir_fd, "history.db");

	if (!log && !history)
		return fail(err, -ENOENT,
			    "%s: there is no state here (is its file system mounted? a new "
			    "cluster's state is made with `armctld --init`)",
			    s->dir);
	if (!log || !history)
		return fail(
			err, -EUCLEAN,
			"%s: %s is missing, though %s is there; put it back from where it "
			"went, or move the rest away and make a new state with `armctld --init`",
			s->dir, log ? "history.db" : "log.db", log ? "log.db" : "history.db");
	return 0;
}

static int scan(struct store *s, const char *name, struct wal_scan *ret_scan,
		struct armada_error *err)
{
	int fd = openat(s->dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc;

	*ret_scan = (struct wal_scan){0};
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail_sys(err, -errno, "%s/%s: cannot be opened", s->dir, name);
	rc = wal_scan(fd, ret_scan);
	close(fd);
	if (rc)
		return fail_sys(err, rc, "%s/%s: cannot be read", s->dir, name);
	if (!ret_scan->damaged)
		return 0;
	return fail(err, -EUCLEAN,
		    "%s/%s is damaged at byte %" PRIu64 " (%s %" PRIu64 "): records after it were "
		    "acknowledged and would be lost if the file were opened. Nothing was changed; "
		    "restore a good copy of the whole directory",
		    s->dir, name, ret_scan->bad_offset,
		    ret_scan->bad_frame ? "frame" : "header, frame", ret_scan->bad_frame);
}

static void wal_grew(struct store *s, int pages)
{
	/* A frame is a page and 24 bytes. */
	s->wal_bytes = (uint64_t)pages * (4096 + 24);
}

static int on_commit(void *arg, sqlite3 *conn, const char *name, int pages)
{
	(void)conn;
	(void)name;
	wal_grew(arg, pages);
	return SQLITE_OK;
}

static int open_databases(struct store *s, int64_t busy_us, struct armada_error *err)
{
	uint8_t other[CLUSTER_ID_BYTES], seq[8];
	int rc = db_open(&s->log, &log_spec, s->dir, false, busy_us, err);

	if (!rc)
		rc = db_open(&s->history, &put_spec, s->dir, false, busy_us, err);
	if (!rc)
		rc = db_open(&s->reader, &find_spec, s->dir, true, busy_us, err);
	if (!rc)
		rc = db_meta(&s->log, LOG_META, META_CLUSTER_ID, s->cluster_id, CLUSTER_ID_BYTES,
			     err);
	if (!rc)
		rc = db_meta(&s->history, PUT_META, META_CLUSTER_ID, other, CLUSTER_ID_BYTES, err);
	if (!rc)
		rc = db_meta(&s->history, PUT_META, META_HISTORY_SEQ, seq, sizeof(seq), err);
	if (rc)
		return rc;
	if (memcmp(other, s->cluster_id, CLUSTER_ID_BYTES) != 0)
		return fail(err, -EUCLEAN, "log.db and history.db belong to different clusters");
	atomic_store(&s->history_seq, get_le64(seq));
	sqlite3_wal_hook(s->log.conn, on_commit, s);
	return 0;
}

/* Records deleted from the beginning must be in a snapshot and in the history. first 0: no records. */
static int check_begin(const struct store *s, uint64_t first, struct armada_error *err)
{
	uint64_t history = atomic_load(&s->history_seq);

	if (first > s->newest.seq + 1)
		return fail(err, -EUCLEAN,
			    "log.db is damaged: it begins at record %" PRIu64
			    ", but no snapshot covers the %" PRIu64 " before it",
			    first, first - 1);
	if (first && history < first - 1)
		return fail(err, -EUCLEAN,
			    "history.db is complete only up to record %" PRIu64
			    ", but the log begins "
			    "at record %" PRIu64 ": it is damaged or an old copy",
			    history, first);
	return 0;
}

static int check_end(const struct store *s, uint64_t last, struct armada_error *err)
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
			    "an old copy. Nothing was changed",
			    last, mark->seq, s->dir);
	if (last == mark->seq && mark->seq && memcmp(hash, mark->hash, HASH_BYTES) != 0)
		return fail(err, -EUCLEAN,
			    "record %" PRIu64 " of log.db is not the one that was acknowledged "
			    "(%s/log.mark): log.db is a copy of another log",
			    last, s->dir);
	return 0;
}

static int check_records(struct store *s, struct armada_error *err)
{
	struct mark mark = {0};
	uint64_t last = 0, first = 0, history = atomic_load(&s->history_seq);
	int rc = db_quick_check(&s->log, err);

	if (!rc)
		rc = snapshot_find(s, &s->newest, &s->older, err);
	if (!rc)
		rc = record_first(s, &first, err);
	if (!rc)
		rc = check_begin(s, first, err);
	if (!rc)
		rc = record_read(s, &s->newest, NULL, NULL, &last, s->last_hash, err);
	if (!rc)
		rc = check_end(s, last, err);
	if (rc)
		return rc;
	rc = mark_open(s, &mark, err);
	if (rc > 0)
		rc = check_mark(s, &mark, last, s->last_hash, err);
	if (rc)
		return rc;
	atomic_store(&s->last_seq, last);
	s->first_seq = first ? first : last + 1;
	s->cut_goal = s->older.seq < history ? s->older.seq : history;
	return 0;
}

/*
 * Called after all checks; this is the first function that writes. The WAL is emptied, so that the next scan
 * does not find frames of a torn transaction and report damage.
 */
static int settle(struct store *s, int64_t busy_us, struct armada_error *err)
{
	int rc = mark_write(s, true);

	if (rc)
		return fail_sys(err, rc, "log.mark: cannot be written");
	rc = db_truncate_wal(&s->log, err);
	/* Another program may be reading the history; do not wait for it. */
	sqlite3_busy_timeout(s->history.conn, 0);
	if (!rc)
		db_truncate_wal(&s->history, NULL);
	sqlite3_busy_timeout(s->history.conn, (int)(busy_us / 1000));
	return rc;
}

static int take(struct store *s, int64_t busy_us, struct armada_error *err)
{
	struct wal_scan log_scan, history_scan;
	int rc = dir_open(s->dir, &s->dir_fd, err);

	if (rc)
		return rc;
	rc = check_presence(s, err);
	if (!rc)
		rc = dir_check_files(s->dir_fd, s->dir, err);
	if (!rc)
		rc = dir_lock(s->dir_fd, s->dir, &s->lock_fd, err);
	if (!rc)
		rc = scan(s, "log.db-wal", &log_scan, err);
	if (!rc)
		rc = scan(s, "history.db-wal", &history_scan, err);
	if (rc)
		return rc;
	rc = open_databases(s, busy_us, err);
	if (!rc)
		rc = check_records(s, err);
	if (!rc)
		rc = settle(s, busy_us, err);
	if (!rc)
		rc = db_complete(&s->history, &put_spec, true, err);
	if (!rc)
		rc = db_complete(&s->reader, &find_spec, false, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	s->torn_records = log_scan.torn ? 1 : 0;
	return 0;
}

int store_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
	       const struct armada_host *host, struct armada_state_info *ret_info,
	       struct armada_error *err)
{
	struct store *s = calloc(1, sizeof(*s));
	int rc;

	if (!s || !(s->dir = strdup(dir)) || sodium_init() < 0) {
		free(s);
		return fail(err, -ENOMEM, "%s: cannot be opened: out of memory", dir);
	}
	s->host = host;
	s->dir_fd = s->lock_fd = s->mark_fd = -1;
	s->wal_limit_bytes = (uint64_t)values[OPTION_WAL_LIMIT].i;
	s->shares_kept_us = values[OPTION_SHARES_KEPT].i;
	pthread_mutex_init(&s->reader_lock, NULL);
	/* Nothing may be written before all checks have passed, not even by close. */
	atomic_store(&s->failed, true);
	rc = take(s, values[OPTION_BUSY_TIMEOUT].i, err);
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

void store_close(void *handle)
{
	struct store *s = handle;
	bool failed;

	if (!s)
		return;
	failed = atomic_load(&s->failed);
	if (!failed && mark_write(s, true))
		failed = true;
	db_close(&s->reader, true);
	db_close(&s->history, failed);
	db_close(&s->log, failed);
	if (s->mark_fd >= 0)
		close(s->mark_fd);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	pthread_mutex_destroy(&s->reader_lock);
	free(s->dir);
	free(s);
}

int store_replay(void *handle, armada_state_record_fn *on_chunk, armada_state_record_fn *on_record,
		 void *arg, struct armada_error *err)
{
	struct store *s = handle;
	uint8_t hash[HASH_BYTES];
	uint64_t last;
	int rc = store_check(s, err);

	if (!rc && s->newest.seq)
		rc = snapshot_read(s, &s->newest, on_chunk, arg, err);
	if (!rc)
		rc = record_read(s, &s->newest, on_record, arg, &last, hash, err);
	return rc;
}
