/*
 * Records of the log: append a batch, read them back with checks, delete those that are not needed.
 *
 * An append is one transaction: it writes the batch and deletes a slice of old records. Then the mark is
 * written, and the WAL is written back if it is large. On a full disk slices of the reserve are given up;
 * without a reserve the append changes nothing and may be repeated. After another failure the contents of the
 * disk are unknown: `failed` is set, and no further append is accepted.
 */
#include "chain.h"
#include "db.h"
#include "error.h"
#include "log_file.h"
#include "mark.h"
#include "record.h"
#include "reserve.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * Each append deletes at most this many old records and bytes, and twice what it adds. So an append takes
 * a time that depends on its own size alone.
 */
#define CUT_SLICE       512
#define CUT_SLICE_BYTES (UINT64_C(1) << 20)

static int check_batch(const struct store *s, const struct armada_state_record *records,
		       size_t count, struct armada_error *err)
{
	uint64_t seq = atomic_load(&s->last_seq);

	for (size_t i = 0; i < count; i++) {
		if (records[i].seq != ++seq || seq > INT64_MAX)
			return fail(err, -EINVAL,
				    "record %" PRIu64 " does not follow record %" PRIu64,
				    records[i].seq, seq - 1);
		if (records[i].len > RECORD_BYTES_MAX)
			return fail(err, -EMSGSIZE, "record %" PRIu64 " of %zu bytes is too large",
				    seq, records[i].len);
	}
	return 0;
}

int record_add(struct db *db, const struct armada_state_record *r, uint8_t hash[HASH_BYTES],
	       struct armada_error *err)
{
	int rc;

	db_bind_u64(db, LOG_RECORD_ADD, 1, r->seq);
	db_bind_u64(db, LOG_RECORD_ADD, 2, chain_crc(hash, r->seq, r->data, r->len));
	db_bind_blob(db, LOG_RECORD_ADD, 3, hash, HASH_BYTES);
	db_bind_blob(db, LOG_RECORD_ADD, 4, r->data, r->len);
	rc = db_run(db, LOG_RECORD_ADD, "cannot be written", err);
	chain_next(hash, r->seq, r->data, r->len);
	return rc;
}

static int damaged(uint64_t seq, const char *what, struct armada_error *err)
{
	return fail(err, -EUCLEAN, "log.db is damaged: record %" PRIu64 " %s", seq, what);
}

/* The current row of the statement must be record seq, and its predecessor must have this hash. */
static int check_row(sqlite3_stmt *st, uint64_t seq, const uint8_t hash[HASH_BYTES],
		     struct armada_error *err)
{
	const void *data = sqlite3_column_blob(st, 3), *prev = sqlite3_column_blob(st, 2);
	size_t len = (size_t)sqlite3_column_bytes(st, 3);

	if ((uint64_t)sqlite3_column_int64(st, 0) != seq)
		return damaged(seq, "is missing, but later ones exist", err);
	if (!prev || sqlite3_column_bytes(st, 2) != HASH_BYTES ||
	    sqlite3_column_int64(st, 1) != chain_crc(prev, seq, data, len))
		return damaged(seq, "does not match its checksum", err);
	if (memcmp(prev, hash, HASH_BYTES) != 0)
		return damaged(seq, "does not follow from the one before it", err);
	return 0;
}

static uint64_t cut_goal(const struct store *s)
{
	uint64_t history = atomic_load(&s->history_seq);

	return s->older.seq < history ? s->older.seq : history;
}

bool record_can_cut(const struct store *s)
{
	return s->first_seq <= cut_goal(s);
}

/* Check records from first_seq on and return the last one that may be deleted; less than first_seq: none. */
static int find_cut(struct store *s, uint64_t rows, uint64_t bytes, uint64_t *ret_upto,
		    struct armada_error *err)
{
	sqlite3_stmt *st = s->log.stmt[LOG_RECORD_AFTER];
	uint64_t seq = s->first_seq, goal = cut_goal(s), done = 0;
	int rc = 0;

	db_bind_u64(&s->log, LOG_RECORD_AFTER, 1, seq - 1);
	for (; seq <= goal && rows && done < bytes; seq++, rows--) {
		rc = db_step(&s->log, LOG_RECORD_AFTER, "cannot be read", err);
		if (rc == 0)
			rc = damaged(seq, "is missing", err);
		if (rc > 0)
			rc = check_row(st, seq, sqlite3_column_blob(st, 2), err);
		if (rc)
			break;
		done += (uint64_t)sqlite3_column_bytes(st, 3);
	}
	db_reset(&s->log, LOG_RECORD_AFTER);
	*ret_upto = seq - 1;
	return rc;
}

int record_cut(struct store *s, uint64_t rows, uint64_t bytes, uint64_t *ret_first,
	       struct armada_error *err)
{
	uint64_t upto;
	int rc;

	*ret_first = s->first_seq;
	if (!record_can_cut(s))
		return 0;
	rc = find_cut(s, rows, bytes, &upto, err);
	if (rc || upto < s->first_seq)
		return rc;
	db_bind_u64(&s->log, LOG_RECORD_CUT, 1, upto);
	rc = db_run(&s->log, LOG_RECORD_CUT, "cannot be written", err);
	if (!rc)
		*ret_first = upto + 1;
	return rc;
}

/* One transaction, committed. ret_hash: of the last record of the batch. */
static int write_batch(struct store *s, const struct armada_state_record *records, size_t count,
		       uint8_t hash[HASH_BYTES], uint64_t *ret_first, struct armada_error *err)
{
	uint64_t bytes = CUT_SLICE_BYTES;
	int rc = db_run(&s->log, LOG_BEGIN, "cannot be written", err);

	memcpy(hash, s->last_hash, HASH_BYTES);
	for (size_t i = 0; i < count && !rc; i++) {
		rc = record_add(&s->log, &records[i], hash, err);
		bytes += 2 * records[i].len;
	}
	if (!rc)
		rc = record_cut(s, CUT_SLICE + 2 * count, bytes, ret_first, err);
	if (!rc)
		rc = db_run(&s->log, LOG_COMMIT, "cannot be made durable", err);
	return rc;
}

int record_append(void *handle, const struct armada_state_record *records, size_t count,
		  struct armada_error *err)
{
	struct store *s = handle;
	uint8_t hash[HASH_BYTES];
	uint64_t first;
	int rc = store_check(s, err);

	if (rc || !count)
		return rc;
	rc = check_batch(s, records, count, err);
	if (!rc)
		rc = write_batch(s, records, count, hash, &first, err);
	if (rc == -EUCLEAN && log_mend(s, err) == 0)
		rc = write_batch(s, records, count, hash, &first, err);
	while (rc == -ENOSPC && db_roll_back(&s->log, LOG_ROLLBACK) == 0 && reserve_release(s))
		rc = write_batch(s, records, count, hash, &first, err);
	if (rc == -ENOSPC && sqlite3_get_autocommit(s->log.conn))
		return fail_in(err, rc, s->dir);
	if (rc) {
		atomic_store(&s->failed, true);
		return fail_in(err, rc, s->dir);
	}
	memcpy(s->last_hash, hash, HASH_BYTES);
	s->first_seq = first;
	atomic_store(&s->last_seq, records[count - 1].seq);
	rc = mark_write(s, false);
	if (rc)
		store_log(s, 4, "%s/log.mark cannot be written: %s", s->dir, strerror(-rc));
	record_checkpoint(s, false);
	return 0;
}

/*
 * After a write-back to a full disk everything is still in the WAL, as durable as before. The write-back is
 * tried again when the WAL has grown by wal_limit. After any other failure the contents of the disk are
 * unknown, so `failed` is set.
 */
void record_checkpoint(struct store *s, bool force)
{
	int rc;

	if (!force && s->wal_bytes < s->wal_checked_bytes + s->wal_limit_bytes)
		return;
	rc = mark_write(s, true);
	if (rc) {
		store_log(s, 3, "%s/log.mark cannot be made durable: %s", s->dir, strerror(-rc));
		atomic_store(&s->failed, true);
		return;
	}
	do
		rc = sqlite3_wal_checkpoint_v2(s->log.conn, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
					       NULL);
	while (rc != SQLITE_OK && db_no_room(&s->log) && reserve_release(s));
	s->wal_checked_bytes = 0;
	if (rc == SQLITE_OK)
		return;
	store_log(s, 3, "%s/log.db: the log cannot be written back: %s", s->dir,
		  sqlite3_errmsg(s->log.conn));
	if (db_no_room(&s->log))
		s->wal_checked_bytes = s->wal_bytes;
	else
		atomic_store(&s->failed, true);
}

int record_first(struct store *s, uint64_t *ret_first, struct armada_error *err)
{
	int rc = db_step(&s->log, LOG_RECORD_FIRST, "cannot be read", err);

	if (rc < 0)
		return rc;
	*ret_first = rc ? (uint64_t)sqlite3_column_int64(s->log.stmt[LOG_RECORD_FIRST], 0) : 0;
	db_reset(&s->log, LOG_RECORD_FIRST);
	return 0;
}

int record_read(struct store *s, const struct snapshot *from, armada_state_record_fn *on_record,
		void *arg, uint64_t *ret_last, uint8_t ret_hash[HASH_BYTES],
		struct armada_error *err)
{
	sqlite3_stmt *st = s->log.stmt[LOG_RECORD_AFTER];
	uint8_t hash[HASH_BYTES];
	uint64_t seq = from->seq;
	int rc;

	memcpy(hash, from->hash, HASH_BYTES);
	db_bind_u64(&s->log, LOG_RECORD_AFTER, 1, seq);
	while ((rc = db_step(&s->log, LOG_RECORD_AFTER, "cannot be read", err)) > 0) {
		const void *data = sqlite3_column_blob(st, 3);
		size_t len = (size_t)sqlite3_column_bytes(st, 3);

		rc = check_row(st, seq + 1, hash, err);
		if (!rc && on_record)
			rc = on_record(arg, seq + 1, data ? data : "", len);
		if (rc)
			break;
		chain_next(hash, ++seq, data, len);
	}
	if (rc) {
		db_reset(&s->log, LOG_RECORD_AFTER);
		return rc;
	}
	*ret_last = seq;
	memcpy(ret_hash, hash, HASH_BYTES);
	return 0;
}
