/*
 * Recovery of a damaged log, for `armctld --recover`.
 *
 * Salvage: in: a state that open refuses. Out: the newest good snapshot and the records after it, up to the
 * first damage; then, one by one, later records that match their checksum. SQLite reads a damaged WAL up to
 * the bad frame, so what follows in the WAL is lost. Nothing is written; close leaves the WAL.
 *
 * Replacement: in: a snapshot that the controller made of what was kept. Out: a log that begins with it. The
 * damaged files stay under other names. log.db is exchanged by one rename, after all else.
 */
#include "chain.h"
#include "db.h"
#include "dir.h"
#include "error.h"
#include "history_file.h"
#include "log_file.h"
#include "mark.h"
#include "record.h"
#include "recover.h"
#include "snapshot.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct pass {
	armada_state_record_fn *on_record;
	void *arg;
	uint64_t last;
	int host_rc; /* of the host, which stopped */
};

static int pass_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct pass *p = arg;

	p->host_rc = p->on_record(p->arg, seq, data, len);
	if (!p->host_rc)
		p->last = seq;
	return p->host_rc;
}

static void note(struct armada_state_salvage *v, const char *text)
{
	if (!v->damaged)
		snprintf(v->damage, sizeof(v->damage), "%s", text);
	v->damaged = true;
}

/* Records after the last one that is kept, each checked by itself. */
static int read_lost(struct store *s, struct armada_state_salvage *v,
		     armada_state_record_fn *on_lost, void *arg)
{
	sqlite3_stmt *st = s->log.stmt[LOG_RECORD_AFTER];
	struct armada_error ignored;
	uint64_t after = v->kept_seq;
	int rc = 0;

	db_bind_u64(&s->log, LOG_RECORD_AFTER, 1, after);
	while (!rc && db_step(&s->log, LOG_RECORD_AFTER, "cannot be read", &ignored) > 0) {
		uint64_t seq = (uint64_t)sqlite3_column_int64(st, 0);
		const void *data = sqlite3_column_blob(st, 3), *prev = sqlite3_column_blob(st, 2);
		size_t len = (size_t)sqlite3_column_bytes(st, 3);

		if (!prev || sqlite3_column_bytes(st, 2) != HASH_BYTES ||
		    sqlite3_column_int64(st, 1) != chain_crc(prev, seq, data, len))
			continue;
		v->known_seq = seq > v->known_seq ? seq : v->known_seq;
		rc = on_lost(arg, seq, data ? data : "", len);
	}
	db_reset(&s->log, LOG_RECORD_AFTER);
	return rc;
}

/* The mark and the history show, too, that records are missing. */
static void compare_ends(struct store *s, struct armada_state_salvage *v)
{
	struct armada_error err;
	struct mark mark = {0};
	char text[256];

	if (!mark_read(s->dir_fd, &mark))
		mark.seq = 0;
	if (history_open(s, s->busy_us, &err))
		atomic_store(&s->history_seq, 0);
	v->known_seq = v->kept_seq;
	if (mark.seq > v->known_seq)
		v->known_seq = mark.seq;
	if (atomic_load(&s->history_seq) > v->known_seq)
		v->known_seq = atomic_load(&s->history_seq);
	snprintf(text, sizeof(text),
		 "log.db ends at record %" PRIu64 ", but record %" PRIu64 " was acknowledged",
		 v->kept_seq, v->known_seq);
	if (v->known_seq > v->kept_seq)
		note(v, text);
}

static int read_kept(struct store *s, struct armada_state_salvage *v,
		     armada_state_record_fn *on_chunk, struct pass *p, struct armada_error *err)
{
	uint8_t hash[HASH_BYTES];
	uint64_t last;
	int rc = snapshot_find(s, &s->newest, &s->older, err);

	if (!rc && s->newest.seq)
		rc = snapshot_read(s, &s->newest, on_chunk, p->arg, err);
	if (rc)
		return rc;
	p->last = s->newest.seq;
	rc = record_read(s, &s->newest, pass_record, p, &last, hash, err);
	if (p->host_rc)
		return p->host_rc;
	if (rc)
		note(v, err->text);
	v->snapshot_seq = s->newest.seq;
	v->kept_seq = p->last;
	if (!v->kept_seq && v->damaged)
		return fail(err, -EUCLEAN, "%s: nothing of it can be kept", v->damage);
	return 0;
}

static int begin(struct store *s, struct armada_error *err)
{
	int rc = dir_open(s->dir, &s->dir_fd, err);

	if (!rc)
		rc = dir_check_files(s->dir_fd, s->dir, err);
	return rc ? rc : dir_lock(s->dir_fd, s->dir, &s->lock_fd, err);
}

int recover_salvage(const char *dir, const struct armada_option_value *values,
		    struct armada_state_salvage *ret_salvage, armada_state_record_fn *on_chunk,
		    armada_state_record_fn *on_record, armada_state_record_fn *on_lost, void *arg,
		    struct armada_error *err)
{
	struct store *s = store_new(dir, values, NULL);
	struct pass p = {.on_record = on_record, .arg = arg};
	struct armada_state_salvage v = {0};
	struct wal_scan scan;
	int rc;

	if (!s)
		return fail(err, -ENOMEM, "%s: out of memory", dir);
	rc = begin(s, err);
	if (!rc)
		rc = dir_scan_wal(s->dir_fd, s->dir, "log.db-wal", &scan, err);
	if (rc == -EUCLEAN)
		note(&v, err->text);
	if (rc == -EUCLEAN || !rc)
		rc = log_open(s, err);
	if (!rc)
		rc = read_kept(s, &v, on_chunk, &p, err);
	if (!rc) {
		compare_ends(s, &v);
		rc = read_lost(s, &v, on_lost, arg);
	}
	memcpy(v.cluster_id, s->cluster_id, CLUSTER_ID_BYTES);
	store_close(s);
	*ret_salvage = v;
	return rc;
}

static int make_log(struct store *s, uint64_t seq, const struct armada_state_chunk *chunks,
		    size_t count, struct armada_error *err)
{
	struct db to;
	int rc = store_init_log_copy(s, err);

	if (rc)
		return rc;
	rc = db_open(&to, &log_copy_spec, s->dir, false, s->busy_us, err);
	if (!rc)
		rc = db_run(&to, LOG_BEGIN, "cannot be written", err);
	if (!rc)
		rc = snapshot_begin_log(&to, s->cluster_id, seq, chunks, count, err);
	if (!rc)
		rc = db_run(&to, LOG_COMMIT, "cannot be made durable", err);
	db_close(&to, false);
	return rc ? rc : log_copy_sync(s, err);
}

/* The WAL and the mark get other names, log.db a second one; then the new file takes its name. */
static int exchange(const struct store *s, const char *suffix, struct armada_error *err)
{
	static const char *const names[] = {"log.db-wal", "log.mark"};
	char to[128];

	for (int i = 0; i < 2; i++) {
		snprintf(to, sizeof(to), "%s%s%s", i ? names[i] : "log.db", suffix,
			 i ? "" : "-wal");
		if (renameat(s->dir_fd, names[i], s->dir_fd, to) && errno != ENOENT)
			return fail_sys(err, -errno, "%s: cannot be renamed", names[i]);
	}
	snprintf(to, sizeof(to), "log.db%s", suffix);
	if (linkat(s->dir_fd, "log.db", s->dir_fd, to, 0) && errno != EPERM && errno != EOPNOTSUPP)
		return fail_sys(err, -errno, "log.db: cannot be kept as %s", to);
	if ((!dir_has(s->dir_fd, to) && renameat(s->dir_fd, "log.db", s->dir_fd, to)) ||
	    renameat(s->dir_fd, log_copy_spec.name, s->dir_fd, "log.db") || fsync(s->dir_fd))
		return fail_sys(err, -errno, "log.db: cannot be replaced");
	return mark_create(s->dir_fd, err);
}

int recover_replace(const char *dir, const struct armada_option_value *values,
		    const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t seq,
		    const struct armada_state_chunk *chunks, size_t count, char ret_suffix[64],
		    struct armada_error *err)
{
	struct store *s = store_new(dir, values, NULL);
	time_t now = time(NULL);
	struct tm tm;
	int rc;

	if (!s)
		return fail(err, -ENOMEM, "%s: out of memory", dir);
	localtime_r(&now, &tm);
	strftime(ret_suffix, 64, ".damaged-%Y%m%dT%H%M%S", &tm);
	memcpy(s->cluster_id, cluster_id, CLUSTER_ID_BYTES);
	rc = begin(s, err);
	if (!rc)
		rc = make_log(s, seq, chunks, count, err);
	if (!rc)
		rc = exchange(s, ret_suffix, err);
	store_close(s);
	return rc;
}
