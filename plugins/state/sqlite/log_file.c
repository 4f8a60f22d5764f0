/*
 * The file log.db: opened, written anew, and made smaller.
 *
 * In: an open store. A start reads only what a replay needs, so the rest of the file may be damaged without
 * notice. A write that meets such damage (old records are checked before they are deleted), or a start that
 * finds the lists of the file wrong (log_check.c), copies everything that is needed into a new file. What is
 * copied is checked by checksum and chain, so the new file is good, or the copy fails and log.db stays.
 *
 * Space that deleted records and snapshots leave is given back in small steps, while no append waits.
 */
#include "chain.h"
#include "db.h"
#include "dir.h"
#include "error.h"
#include "log_file.h"
#include "mark.h"
#include "record.h"
#include "reserve.h"
#include "snapshot.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIDY_ROWS  8192
#define TIDY_BYTES (UINT64_C(8) << 20)
#define TIDY_PAGES "1024"
/* Free space that stays in the file, for the next records: a half of what is used, and at least this. */
#define UNUSED_BYTES_MIN (UINT64_C(16) << 20)

/* A frame of the WAL is a page and 24 bytes. */
static int on_commit(void *arg, sqlite3 *conn, const char *name, int pages)
{
	struct store *s = arg;

	(void)conn;
	(void)name;
	s->wal_bytes = (uint64_t)pages * (4096 + 24);
	return SQLITE_OK;
}

int log_open(struct store *s, struct armada_error *err)
{
	int rc;

	s->log_fd = openat(s->dir_fd, "log.db", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (s->log_fd < 0)
		return fail_sys(err, -errno, "log.db: cannot be opened");
	rc = db_open(&s->log, &log_spec, s->dir, false, s->busy_us, err);
	if (!rc)
		rc = db_meta(&s->log, LOG_META, META_CLUSTER_ID, s->cluster_id, CLUSTER_ID_BYTES,
			     err);
	if (!rc)
		sqlite3_wal_hook(s->log.conn, on_commit, s);
	return rc;
}

struct copy {
	struct db *to;
	uint8_t hash[HASH_BYTES];
	struct armada_error *err;
};

static int copy_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct copy *c = arg;
	const struct armada_state_record r = {.seq = seq, .data = data, .len = len};

	return record_add(c->to, &r, c->hash, c->err);
}

/*
 * Copy the newest snapshot, with_older the one before it (without one: nothing, the records are copied from
 * the first on), and all records after the last one of these.
 */
static int copy_all(struct store *s, bool with_older, struct db *to, struct armada_error *err)
{
	struct snapshot from = with_older ? s->older : s->newest;
	struct copy c = {.to = to, .err = err};
	uint8_t hash[HASH_BYTES];
	uint64_t last;
	int rc = db_run(to, LOG_BEGIN, "cannot be written", err);

	if (!from.seq)
		chain_genesis(s->cluster_id, from.hash);
	memcpy(c.hash, from.hash, HASH_BYTES);
	if (!rc && s->newest.seq)
		rc = snapshot_copy(s, &s->newest, to, err);
	if (!rc && with_older && s->older.seq)
		rc = snapshot_copy(s, &s->older, to, err);
	if (!rc)
		rc = record_read(s, &from, copy_record, &c, &last, hash, err);
	if (!rc &&
	    (last != atomic_load(&s->last_seq) || memcmp(hash, s->last_hash, HASH_BYTES) != 0))
		rc = fail(err, -EUCLEAN,
			  "log.db is damaged: it can be read only up to record %" PRIu64, last);
	return rc ? rc : db_run(to, LOG_COMMIT, "cannot be made durable", err);
}

int log_copy_sync(const struct store *s, struct armada_error *err)
{
	int fd = openat(s->dir_fd, log_copy_spec.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc = 0;

	if (fd < 0 || fsync(fd))
		rc = fail_sys(err, -errno, "%s: cannot be made durable", log_copy_spec.name);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int make_copy(struct store *s, bool with_older, struct armada_error *err)
{
	struct db to;
	int rc = store_init_log_copy(s, err);

	if (rc)
		return rc;
	rc = db_open(&to, &log_copy_spec, s->dir, false, s->busy_us, err);
	if (!rc)
		rc = copy_all(s, with_older, &to, err);
	db_close(&to, false);
	return rc ? rc : log_copy_sync(s, err);
}

/* All of the WAL is in log.db. Any failure here leaves a good log.db, but no connection to it. */
static int exchange(struct store *s, struct armada_error *err)
{
	db_close(&s->log, false);
	close(s->log_fd);
	s->log_fd = -1;
	/* A WAL that is left would be read as that of the new file. */
	if ((unlinkat(s->dir_fd, "log.db-wal", 0) && errno != ENOENT) || fsync(s->dir_fd) ||
	    renameat(s->dir_fd, log_copy_spec.name, s->dir_fd, "log.db") || fsync(s->dir_fd))
		return fail_sys(err, -errno, "log.db: cannot be replaced");
	s->wal_bytes = s->wal_checked_bytes = 0;
	return log_open(s, err);
}

static int64_t size_of(const struct store *s)
{
	struct stat st;

	return fstat(s->log_fd, &st) ? 0 : (int64_t)st.st_size;
}

int log_rewrite(struct store *s, const char *why, struct armada_error *err)
{
	bool with_older = true;
	int64_t before = size_of(s);
	int rc = mark_write(s, true);

	if (rc)
		return fail_sys(err, rc, "log.mark: cannot be made durable");
	rc = db_truncate_wal(&s->log, err);
	if (!rc)
		rc = make_copy(s, true, err);
	if (rc == -EUCLEAN && s->newest.seq) {
		with_older = false;
		rc = make_copy(s, false, err);
	}
	if (rc) {
		unlinkat(s->dir_fd, log_copy_spec.name, 0);
		return rc;
	}
	rc = exchange(s, err);
	if (rc) {
		atomic_store(&s->failed, true);
		return rc;
	}
	s->writing = (struct snapshot){0}; /* its chunks were not copied */
	if (!with_older)
		s->older = (struct snapshot){0};
	s->first_seq = (with_older ? s->older.seq : s->newest.seq) + 1;
	store_log(s, 5, "%s/log.db was written anew, %" PRId64 " to %" PRId64 " KiB: %s", s->dir,
		  before >> 10, size_of(s) >> 10, why);
	return 0;
}

int log_mend(struct store *s, struct armada_error *err)
{
	struct armada_error why;

	snprintf(why.text, sizeof(why.text), "%.400s", err ? err->text : "it was damaged");
	if (db_roll_back(&s->log, LOG_ROLLBACK))
		return -EIO;
	return log_rewrite(s, why.text, err);
}

static int cut_slice(struct store *s, struct armada_error *err)
{
	uint64_t first;
	int rc = db_run(&s->log, LOG_BEGIN, "cannot be written", err);

	if (!rc)
		rc = record_cut(s, TIDY_ROWS, TIDY_BYTES, &first, err);
	if (!rc)
		rc = db_run(&s->log, LOG_COMMIT, "cannot be made durable", err);
	if (rc)
		return rc;
	s->first_seq = first;
	s->look_for_space = true;
	record_checkpoint(s, false);
	return 1;
}

/* Too much of the file is unused. While it shrinks, a half of that is too much. */
static int too_large(struct store *s, bool *ret_yes, struct armada_error *err)
{
	uint64_t unused, used, limit;
	int rc = db_unused_bytes(&s->log, &unused, err);

	if (rc)
		return rc;
	used = (uint64_t)size_of(s) > unused ? (uint64_t)size_of(s) - unused : 0;
	limit = used / 2 > UNUSED_BYTES_MIN ? used / 2 : UNUSED_BYTES_MIN;
	*ret_yes = unused > (s->shrinking ? limit / 2 : limit);
	return 0;
}

static int shrink_slice(struct store *s, struct armada_error *err)
{
	bool yes = false;
	int rc = too_large(s, &yes, err);

	if (!rc && !yes) {
		s->look_for_space = false;
		/* The file itself shrinks when the WAL is written back. */
		if (s->shrinking)
			record_checkpoint(s, true);
		s->shrinking = false;
		return 0;
	}
	s->shrinking = true;
	if (!rc)
		rc = db_run(&s->log, LOG_BEGIN, "cannot be written", err);
	if (!rc)
		rc = db_exec(&s->log, "PRAGMA incremental_vacuum(" TIDY_PAGES ")",
			     "cannot be written", err);
	if (!rc)
		rc = db_run(&s->log, LOG_COMMIT, "cannot be made durable", err);
	if (rc)
		return rc;
	record_checkpoint(s, false);
	return 1;
}

int log_tidy(void *handle, struct armada_error *err)
{
	struct store *s = handle;
	int rc = store_check(s, err);

	if (rc)
		return rc;
	if (record_can_cut(s))
		rc = cut_slice(s, err);
	else if (s->look_for_space)
		rc = shrink_slice(s, err);
	if (rc >= 0)
		return rc;
	if (rc == -EUCLEAN && log_mend(s, err) == 0)
		return 1;
	if (rc == -ENOSPC && db_roll_back(&s->log, LOG_ROLLBACK) == 0)
		return reserve_release(s) ? 1 : fail_in(err, rc, s->dir);
	atomic_store(&s->failed, true);
	return fail_in(err, rc, s->dir);
}
