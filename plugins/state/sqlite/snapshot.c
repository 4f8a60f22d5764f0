/*
 * Snapshots: write, read, and find the newest complete one.
 *
 * In: the chunks of a snapshot. They are written first, in several transactions that keep the WAL small.
 * Then one row is written that makes the snapshot valid. A crash before that row leaves chunks without a
 * snapshot, which the next snapshot deletes. Two snapshots are kept: the newest one, and the one before it.
 * While the history is behind that one, the last one that it has reached is kept instead: a replay from there
 * writes the missing rows of the history again.
 */
#include "crc32c.h"
#include "chain.h"
#include "db.h"
#include "error.h"
#include "le.h"
#include "log_file.h"
#include "record.h"
#include "reserve.h"
#include "snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#define SNAPSHOTS_MAX 8

static uint32_t chunk_crc(uint64_t seq, uint64_t index, const void *data, size_t len)
{
	uint8_t head[16];

	put_le64(head, seq);
	put_le64(head + 8, index);
	return crc32c(crc32c(0, head, sizeof(head)), data, len);
}

static uint32_t head_crc(const struct snapshot *snap)
{
	uint8_t head[24 + HASH_BYTES];

	put_le64(head, snap->seq);
	put_le64(head + 8, snap->first_chunk);
	put_le64(head + 16, snap->chunk_count);
	memcpy(head + 24, snap->hash, HASH_BYTES);
	return crc32c(0, head, sizeof(head));
}

static int64_t key_of(const struct snapshot *snap)
{
	return snap->again ? -(int64_t)snap->seq : (int64_t)snap->seq;
}

static uint32_t with_chunk(uint32_t crc, uint32_t chunk)
{
	uint8_t le[8];

	put_le64(le, chunk);
	return crc32c(crc, le, sizeof(le));
}

/* The chain's hash at seq: last_hash if it is the last record, otherwise `prev` of the next record. */
static int hash_at(struct store *s, uint64_t seq, uint8_t ret_hash[HASH_BYTES],
		   struct armada_error *err)
{
	sqlite3_stmt *st = s->log.stmt[LOG_RECORD_AFTER];
	int rc;

	if (seq == atomic_load(&s->last_seq)) {
		memcpy(ret_hash, s->last_hash, HASH_BYTES);
		return 0;
	}
	db_bind_u64(&s->log, LOG_RECORD_AFTER, 1, seq);
	rc = db_step(&s->log, LOG_RECORD_AFTER, "cannot be read", err);
	if (rc < 0)
		return rc;
	if (rc == 0 || (uint64_t)sqlite3_column_int64(st, 0) != seq + 1 ||
	    sqlite3_column_bytes(st, 2) != HASH_BYTES)
		rc = fail(err, -EUCLEAN, "log.db is damaged: record %" PRIu64 " is missing",
			  seq + 1);
	else
		memcpy(ret_hash, sqlite3_column_blob(st, 2), HASH_BYTES);
	db_reset(&s->log, LOG_RECORD_AFTER);
	return rc < 0 ? rc : 0;
}

static int add_chunk(struct db *db, uint64_t id, uint32_t crc, const void *data, size_t len,
		     struct armada_error *err)
{
	db_bind_u64(db, LOG_CHUNK_ADD, 1, id);
	db_bind_u64(db, LOG_CHUNK_ADD, 2, crc);
	db_bind_blob(db, LOG_CHUNK_ADD, 3, data, len);
	return db_run(db, LOG_CHUNK_ADD, "cannot be written", err);
}

static int next_chunk(struct store *s, uint64_t *ret_id, struct armada_error *err)
{
	int rc = db_step(&s->log, LOG_CHUNK_LAST, "cannot be read", err);

	if (rc < 0)
		return rc;
	*ret_id = (uint64_t)sqlite3_column_int64(s->log.stmt[LOG_CHUNK_LAST], 0) + 1;
	db_reset(&s->log, LOG_CHUNK_LAST);
	return 0;
}

/* Inside a transaction. */
static int add_chunks(struct store *s, const struct armada_state_part *part,
		      struct armada_error *err)
{
	struct snapshot *snap = &s->writing;
	int rc = 0;

	for (size_t k = 0; k < part->count && !rc; k++) {
		const struct armada_state_chunk *c = &part->chunks[k];
		uint64_t i = part->first + k;
		uint32_t crc = chunk_crc(snap->seq, i, c->data, c->len);

		snap->crc = with_chunk(snap->crc, crc);
		rc = add_chunk(&s->log, snap->first_chunk + i, crc, c->data, c->len, err);
	}
	s->written += part->count;
	return rc;
}

/* Delete all snapshots but these two, and all chunks but theirs. */
static int keep_two(struct store *s, const struct snapshot *a, const struct snapshot *b,
		    struct armada_error *err)
{
	struct db *db = &s->log;
	int rc;

	sqlite3_bind_int64(db->stmt[LOG_SNAPSHOT_DELETE], 1, key_of(a));
	sqlite3_bind_int64(db->stmt[LOG_SNAPSHOT_DELETE], 2, key_of(b));
	rc = db_run(db, LOG_SNAPSHOT_DELETE, "cannot be written", err);
	if (rc)
		return rc;
	db_bind_u64(db, LOG_CHUNK_DELETE, 1, a->first_chunk);
	db_bind_u64(db, LOG_CHUNK_DELETE, 2, a->first_chunk + a->chunk_count);
	db_bind_u64(db, LOG_CHUNK_DELETE, 3, b->first_chunk);
	db_bind_u64(db, LOG_CHUNK_DELETE, 4, b->first_chunk + b->chunk_count);
	return db_run(db, LOG_CHUNK_DELETE, "cannot be written", err);
}

static int add_head(struct db *db, const struct snapshot *snap, struct armada_error *err)
{
	sqlite3_bind_int64(db->stmt[LOG_SNAPSHOT_ADD], 1, key_of(snap));
	db_bind_u64(db, LOG_SNAPSHOT_ADD, 2, snap->first_chunk);
	db_bind_u64(db, LOG_SNAPSHOT_ADD, 3, snap->chunk_count);
	db_bind_blob(db, LOG_SNAPSHOT_ADD, 4, snap->hash, HASH_BYTES);
	db_bind_u64(db, LOG_SNAPSHOT_ADD, 5, snap->crc);
	return db_run(db, LOG_SNAPSHOT_ADD, "cannot be written", err);
}

static int free_bytes(const struct store *s, uint64_t *ret_bytes, struct armada_error *err)
{
	struct statvfs fs;

	*ret_bytes = 0;
	if (fstatvfs(s->dir_fd, &fs))
		return fail_sys(err, -errno, "%s", s->dir);
	*ret_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

/* A snapshot must not use the space that appends will need: check before, and leave some free. */
static int check_room(struct store *s, const struct armada_state_part *part,
		      struct armada_error *err)
{
	uint64_t need = 3 * s->wal_limit_bytes + part->total_bytes + part->total_bytes / 16 +
			64 * (uint64_t)part->total;
	uint64_t unused, room;
	int rc = db_unused_bytes(&s->log, &unused, err);

	if (rc)
		return rc;
	rc = free_bytes(s, &room, err);
	/* On a full disk a small snapshot is the way to space: the log before it can be deleted. */
	while (!rc && room + unused < need && need < s->reserve_left / 2 && reserve_release(s))
		rc = free_bytes(s, &room, err);
	if (rc || room + unused >= need)
		return rc;
	room += unused;
	return fail(err, -ENOSPC,
		    "%s: no room for a snapshot: it may take %" PRIu64 " MiB, and %" PRIu64
		    " MiB are free",
		    s->dir, need >> 20, room >> 20);
}

/* After a failure. Lack of space alone does not end the log: appends may still find enough. */
static void give_up(struct store *s)
{
	struct db *db = &s->log;
	bool harmless = db_no_room(db);

	if (!sqlite3_get_autocommit(db->conn))
		harmless &= db_run(db, LOG_ROLLBACK, "cannot be written", NULL) == 0;
	if (!harmless) {
		atomic_store(&s->failed, true);
		return;
	}
	/* Delete the chunks already written. Without space even for that, the next snapshot does it. */
	if (db_run(db, LOG_BEGIN, "cannot be written", NULL) ||
	    keep_two(s, &s->newest, &s->older, NULL) ||
	    db_run(db, LOG_COMMIT, "cannot be made durable", NULL))
		atomic_store(&s->failed, !db_no_room(db));
	if (!sqlite3_get_autocommit(db->conn) &&
	    db_run(db, LOG_ROLLBACK, "cannot be written", NULL))
		atomic_store(&s->failed, true);
}

static int check_part(const struct store *s, const struct armada_state_part *p,
		      struct armada_error *err)
{
	uint64_t last = atomic_load(&s->last_seq);

	if (!p->seq || p->seq > last || p->seq < s->newest.seq)
		return fail(err, -EINVAL,
			    "a snapshot at record %" PRIu64
			    " is not possible: the last record is %" PRIu64
			    ", the newest snapshot at %" PRIu64,
			    p->seq, last, s->newest.seq);
	for (size_t i = 0; i < p->count; i++)
		if (p->chunks[i].len > RECORD_BYTES_MAX)
			return fail(err, -EMSGSIZE, "a chunk of %zu bytes is too large",
				    p->chunks[i].len);
	if (p->first && (!s->writing.seq || p->seq != s->writing.seq || p->first != s->written))
		return fail(err, -EAGAIN, "the snapshot at record %" PRIu64 " must begin again",
			    p->seq);
	return 0;
}

/* In a transaction. */
static int begin(struct store *s, const struct armada_state_part *p, struct armada_error *err)
{
	struct snapshot *snap = &s->writing;
	int rc;

	*snap = (struct snapshot){
		.seq = p->seq,
		.chunk_count = p->total,
		.again = p->seq == s->newest.seq && !s->newest.again,
	};
	s->written = 0;
	rc = hash_at(s, snap->seq, snap->hash, err);
	/* The older one is deleted at the end. If it is damaged, it may lead to pages that are in use. */
	if (!rc && s->older.seq)
		rc = snapshot_read(s, &s->older, NULL, NULL, err);
	/* Delete the chunks of an earlier snapshot that was not completed. */
	if (!rc)
		rc = keep_two(s, &s->newest, &s->older, err);
	if (!rc)
		rc = next_chunk(s, &snap->first_chunk, err);
	snap->crc = head_crc(snap);
	return rc;
}

/* kept: the one that remains beside it. */
static int write_part(struct store *s, const struct armada_state_part *p,
		      const struct snapshot *kept, struct armada_error *err)
{
	int rc = db_run(&s->log, LOG_BEGIN, "cannot be written", err);

	if (!rc && !p->first)
		rc = begin(s, p, err);
	if (!rc)
		rc = add_chunks(s, p, err);
	if (!rc && s->written == p->total)
		rc = add_head(&s->log, &s->writing, err);
	if (!rc && s->written == p->total)
		rc = keep_two(s, &s->writing, kept, err);
	return rc ? rc : db_run(&s->log, LOG_COMMIT, "cannot be made durable", err);
}

static void complete(struct store *s, const struct snapshot *kept)
{
	s->look_for_space = true;
	s->older = *kept;
	s->newest = s->writing;
	s->writing = (struct snapshot){0};
	atomic_store(&s->snapshot_seq, s->newest.seq);
}

int snapshot_part(void *handle, const struct armada_state_part *p, struct armada_error *err)
{
	struct store *s = handle;
	struct snapshot kept = *snapshot_base(s);
	int rc = store_check(s, err);

	if (rc || (p->seq && p->seq == s->newest.seq && p->seq == s->older.seq))
		return rc;
	rc = check_part(s, p, err);
	if (!rc && !p->first)
		rc = check_room(s, p, err);
	if (rc)
		return rc;
	rc = write_part(s, p, &kept, err);
	if (rc == -EUCLEAN && log_mend(s, err) == 0) {
		if (p->first) /* the new log has only complete snapshots */
			return -EAGAIN;
		rc = write_part(s, p, &kept, err);
	}
	if (rc) {
		give_up(s);
		s->writing = (struct snapshot){0};
		return fail_in(err, rc, s->dir);
	}
	if (s->written == p->total)
		complete(s, &kept);
	record_checkpoint(s, false);
	return store_check(s, err);
}

int snapshot_write(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
		   size_t count, struct armada_error *err)
{
	const struct store *s = handle;
	struct armada_state_part p = {.seq = seq, .total = count, .chunks = chunks};
	size_t bytes;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		p.total_bytes += chunks[i].len;
	do {
		p.chunks = chunks + p.first;
		p.count = 0;
		for (bytes = 0; p.first + p.count < count && bytes <= s->wal_limit_bytes; p.count++)
			bytes += p.chunks[p.count].len;
		rc = snapshot_part(handle, &p, err);
		p.first = rc == -EAGAIN ? 0 : p.first + p.count;
	} while ((!rc && p.first < count) || rc == -EAGAIN);
	return rc;
}

int snapshot_read(struct store *s, const struct snapshot *snap, armada_state_record_fn *on_chunk,
		  void *arg, struct armada_error *err)
{
	sqlite3_stmt *st = s->log.stmt[LOG_CHUNK_RANGE];
	uint32_t crc = head_crc(snap);
	uint64_t count = 0;
	int rc;

	db_bind_u64(&s->log, LOG_CHUNK_RANGE, 1, snap->first_chunk);
	db_bind_u64(&s->log, LOG_CHUNK_RANGE, 2, snap->first_chunk + snap->chunk_count);
	while ((rc = db_step(&s->log, LOG_CHUNK_RANGE, "cannot be read", err)) > 0) {
		const void *data = sqlite3_column_blob(st, 2);
		size_t len = (size_t)sqlite3_column_bytes(st, 2);
		uint32_t got = chunk_crc(snap->seq, count, data, len);

		if ((uint64_t)sqlite3_column_int64(st, 0) != snap->first_chunk + count ||
		    sqlite3_column_int64(st, 1) != got)
			break;
		rc = on_chunk ? on_chunk(arg, snap->seq, data ? data : "", len) : 0;
		if (rc) {
			db_reset(&s->log, LOG_CHUNK_RANGE);
			return rc;
		}
		crc = with_chunk(crc, got);
		count++;
	}
	db_reset(&s->log, LOG_CHUNK_RANGE);
	if (rc < 0)
		return rc;
	if (count != snap->chunk_count || crc != snap->crc)
		return fail(err, -EUCLEAN,
			    "log.db is damaged: the snapshot at record %" PRIu64
			    " does not match its checksum",
			    snap->seq);
	return 0;
}

struct copy {
	struct db *to;
	const struct snapshot *snap;
	uint64_t count;
	struct armada_error *err;
};

static int copy_chunk(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct copy *c = arg;
	uint64_t i = c->count++;

	return add_chunk(c->to, c->snap->first_chunk + i, chunk_crc(seq, i, data, len), data, len,
			 c->err);
}

int snapshot_copy(struct store *s, const struct snapshot *snap, struct db *to,
		  struct armada_error *err)
{
	struct copy c = {.to = to, .snap = snap, .err = err};
	int rc = snapshot_read(s, snap, copy_chunk, &c, err);

	return rc ? rc : add_head(to, snap, err);
}

int snapshot_begin_log(struct db *to, const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t seq,
		       const struct armada_state_chunk *chunks, size_t count,
		       struct armada_error *err)
{
	struct snapshot snap = {.seq = seq, .first_chunk = 1, .chunk_count = count};
	int rc = 0;

	chain_genesis(cluster_id, snap.hash);
	snap.crc = head_crc(&snap);
	for (size_t i = 0; i < count && !rc; i++) {
		uint32_t crc = chunk_crc(seq, i, chunks[i].data, chunks[i].len);

		snap.crc = with_chunk(snap.crc, crc);
		rc = add_chunk(to, snap.first_chunk + i, crc, chunks[i].data, chunks[i].len, err);
	}
	return rc ? rc : add_head(to, &snap, err);
}

static int list(struct store *s, struct snapshot snaps[SNAPSHOTS_MAX], size_t *ret_count,
		struct armada_error *err)
{
	sqlite3_stmt *st = s->log.stmt[LOG_SNAPSHOTS];
	size_t n = 0;
	int rc;

	while ((rc = db_step(&s->log, LOG_SNAPSHOTS, "cannot be read", err)) > 0) {
		int64_t key = sqlite3_column_int64(st, 0);
		struct snapshot *snap = &snaps[n];

		if (n == SNAPSHOTS_MAX)
			break;
		*snap = (struct snapshot){
			.seq = key < 0 ? -(uint64_t)key : (uint64_t)key,
			.again = key < 0,
			.first_chunk = (uint64_t)sqlite3_column_int64(st, 1),
			.chunk_count = (uint64_t)sqlite3_column_int64(st, 2),
			.crc = (uint32_t)sqlite3_column_int64(st, 4),
		};
		if (sqlite3_column_bytes(st, 3) == HASH_BYTES)
			memcpy(snap->hash, sqlite3_column_blob(st, 3), HASH_BYTES);
		n++;
	}
	db_reset(&s->log, LOG_SNAPSHOTS);
	*ret_count = n;
	return rc < 0 ? rc : 0;
}

int snapshot_find(struct store *s, struct snapshot *ret_newest, struct snapshot *ret_older,
		  struct armada_error *err)
{
	struct snapshot snaps[SNAPSHOTS_MAX], none = {0};
	struct armada_error why;
	size_t count = 0;
	int rc = list(s, snaps, &count, err);

	chain_genesis(s->cluster_id, none.hash);
	for (size_t i = 0; i < count && !rc; i++) {
		if (snapshot_read(s, &snaps[i], NULL, NULL, &why)) {
			store_log(s, 3, "%s: %s; the one before it is used instead", s->dir,
				  why.text);
			continue;
		}
		*ret_newest = snaps[i];
		*ret_older = i + 1 < count ? snaps[i + 1] : none;
		return 0;
	}
	*ret_newest = *ret_older = none;
	return rc;
}

const struct snapshot *snapshot_base(const struct store *s)
{
	uint64_t history = atomic_load(&s->history_seq);

	if (s->newest.seq > history && s->older.seq <= history && s->first_seq <= s->older.seq + 1)
		return &s->older;
	return &s->newest;
}
