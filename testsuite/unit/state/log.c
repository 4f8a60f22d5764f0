/*
 * Records and snapshots of state/sqlite: appended records are read back unchanged, and a record is
 * removed only when two later snapshots and the history do not need it.
 */
#include "unit/state/harness.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static void test_round_trip(void)
{
	struct armada_state_info info;
	struct replayed seen;
	const char *dir = harness_dir();
	void *h;

	is_int(state_init(dir), 0, "a state is created");
	is_int(state_open(dir, &h, &info), 0, "the state is opened");
	ok(memcmp(info.cluster_id, "test cluster 01", 16) == 0, "the state has its cluster id");
	is_int(info.last_seq, 0, "the state is empty");
	is_int(state_replay(h, &seen), 0, "an empty state is replayed");
	is_int(seen.last, 0, "an empty state has no records");
	is_int(state_append(h, 1, 1), 0, "one record is appended");
	is_int(state_append(h, 2, 300), 0, "a batch is appended");
	is_int(ops->append(h, NULL, 0, &err), 0, "an empty batch is accepted");
	is_int(state_replay(h, &seen), 0, "the open state is replayed");
	ok(seen.first == 1 && seen.last == 300 && !seen.wrong, "every record is unchanged");
	ops->close(h);

	is_int(state_open(dir, &h, &info), 0, "the state is opened again");
	is_int(info.last_seq, 300, "the last sequence is known");
	is_int(info.torn_records, 0, "no record was cut");
	state_replay(h, &seen);
	ok(seen.first == 1 && seen.last == 300 && !seen.wrong,
	   "every record is unchanged after the open");
	is_int(state_append_by(h, 301, 3000, 7), 0,
	       "many batches are appended, with many write-backs");
	ops->close(h);
	is_int(state_open(dir, &h, &info), 0, "the state is opened after many batches");
	state_replay(h, &seen);
	ok(seen.first == 1 && seen.last == 3000 && !seen.wrong,
	   "every record is unchanged after many batches");
	ops->close(h);
}

static void test_sequence(void)
{
	const char *dir = harness_dir();
	void *h;

	state_init(dir);
	state_open(dir, &h, NULL);
	state_append(h, 1, 5);
	is_int(state_append(h, 7, 8), -EINVAL, "a gap is refused");
	has_str(err.text, "record 7 does not follow record 5", "the message names both records");
	is_int(state_append(h, 6, 6), -EIO, "after that every append is refused");
	has_str(err.text, "an earlier write failed", "the message names the earlier error");
	is_int(state_snapshot_at(h, 5, 1), -EIO, "a snapshot is refused as well");
	ops->close(h);
}

static int stop_at(void *arg, uint64_t seq, const void *data, size_t len)
{
	(void)data;
	(void)len;
	return seq == *(uint64_t *)arg ? 42 : 0;
}

static void test_stop(void)
{
	const char *dir = harness_dir();
	uint64_t at = 3;
	struct replayed seen;
	void *h;

	state_init(dir);
	state_open(dir, &h, NULL);
	state_append(h, 1, 5);
	is_int(ops->replay(h, stop_at, stop_at, &at, &err), 42, "a reader can stop a replay");
	is_int(state_replay(h, &seen), 0, "the replay can start again");
	is_int(seen.last, 5, "the replay starts at the first record");
	ops->close(h);
}

/* The lowest sequence in the log. */
static long long first_record(const char *dir)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	long long first = -1;

	sqlite3_open_v2(harness_path(dir, "log.db"), &db, SQLITE_OPEN_READWRITE, NULL);
	sqlite3_prepare_v2(db, "SELECT min(seq) FROM record", -1, &st, NULL);
	if (sqlite3_step(st) == SQLITE_ROW)
		first = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return first;
}

static void reopen(void **h, const char *dir, struct armada_state_info *ret_info)
{
	ops->close(*h);
	if (state_open(dir, h, ret_info))
		bail("%s", err.text);
}

static void test_snapshots(void)
{
	struct armada_state_info info;
	struct replayed seen;
	const char *dir = harness_dir();
	void *h;

	state_init(dir);
	state_open(dir, &h, NULL);
	is_int(state_snapshot_at(h, 1, 1), -EINVAL, "a snapshot of an absent record is refused");
	state_append_by(h, 1, 1000, 50);
	is_int(ops->history_put(h, 1000, NULL, 0, NULL, 0, &err), 0, "the history is complete");
	is_int(state_snapshot_at(h, 900, 40), 0, "a snapshot before the end is written");
	reopen(&h, dir, &info);
	is_int(info.snapshot_seq, 900, "the snapshot is found");
	is_int(info.last_seq, 1000, "the records after it are found");
	state_replay(h, &seen);
	ok(seen.snapshot_seq == 900 && seen.chunks == 40 && !seen.wrong, "the chunks come first");
	ok(seen.first == 901 && seen.last == 1000, "the records after the snapshot follow");
	is_int(state_snapshot_at(h, 900, 1), 0, "the same snapshot again has no effect");
	is_int(state_snapshot_at(h, 800, 1), -EINVAL, "an older one is refused");
	is_int(state_snapshot_at(h, 1000, 0), 0, "a snapshot at the end without chunks is written");
	reopen(&h, dir, &info);
	ok(info.snapshot_seq == 1000 && info.last_seq == 1000, "the snapshot at the end is found");
	state_replay(h, &seen);
	ok(!seen.chunks && !seen.first, "no chunk and no record follows");
	is_int(state_append(h, 1001, 1001), 0, "a record is appended after the snapshot");
	reopen(&h, dir, &info);
	is_int(info.last_seq, 1001, "the record after the snapshot is found");
	ops->close(h);
}

static void test_cut(void)
{
	struct armada_state_info info;
	struct replayed seen;
	const char *dir = harness_dir();
	void *h;

	state_init(dir);
	state_open(dir, &h, NULL);
	state_append_by(h, 1, 1000, 50);
	is_int(ops->history_put(h, 700, NULL, 0, NULL, 0, &err), 0,
	       "the history is complete up to 700");
	state_snapshot_at(h, 500, 3);
	state_append_by(h, 1001, 2000, 50);
	reopen(&h, dir, &info);
	is_int(info.history_seq, 700, "the last record of the history is known");
	ops->close(h);
	is_int(first_record(dir), 1, "one snapshot alone cuts nothing");

	state_open(dir, &h, NULL);
	state_snapshot_at(h, 1500, 3);
	state_append_by(h, 2001, 3000, 50);
	reopen(&h, dir, &info);
	ops->close(h);
	is_int(first_record(dir), 501, "two snapshots cut below the older one");

	state_open(dir, &h, NULL);
	state_snapshot_at(h, 2900, 3);
	state_append_by(h, 3001, 4000, 50);
	reopen(&h, dir, &info);
	ops->close(h);
	is_int(first_record(dir), 501, "records are not cut that lead to those above the history");

	state_open(dir, &h, &info);
	ok(info.snapshot_seq == 2900 && info.last_seq == 4000, "snapshot and records are found");
	state_replay(h, &seen);
	ok(seen.snapshot_seq == 500 && seen.first == 501 && seen.last == 4000 && !seen.wrong,
	   "the state is replayed from the last snapshot that the history has reached");
	is_int(ops->history_put(h, 4000, NULL, 0, NULL, 0, &err), 0, "the history is complete");
	reopen(&h, dir, &info);
	state_replay(h, &seen);
	ok(seen.snapshot_seq == 2900 && seen.first == 2901 && seen.last == 4000 && !seen.wrong,
	   "... then from the newest");
	ops->close(h);
}

/* No snapshot replaces records whose rows the history lacks, however many are written. */
static void test_history_behind(void)
{
	struct armada_state_info info;
	struct replayed seen;
	const char *dir = harness_dir();
	void *h;

	state_init(dir);
	state_open(dir, &h, NULL);
	for (uint64_t end = 100; end <= 500; end += 100) {
		state_append_by(h, end - 99, end, 50);
		state_snapshot_at(h, end, 2);
	}
	reopen(&h, dir, &info);
	is_int(info.last_seq, 500, "a log with an empty history is opened");
	state_replay(h, &seen);
	ok(!seen.chunks && seen.first == 1 && seen.last == 500 && !seen.wrong,
	   "all of it is replayed: nothing is cut while the history lags");
	ops->history_put(h, 500, NULL, 0, NULL, 0, &err);
	for (uint64_t end = 600; end <= 1000; end += 100) {
		state_append_by(h, end - 99, end, 50);
		state_snapshot_at(h, end, 2);
	}
	reopen(&h, dir, &info);
	state_replay(h, &seen);
	ok(seen.snapshot_seq == 500 && seen.first == 501 && seen.last == 1000 && !seen.wrong,
	   "the replay begins at the snapshot that the history has reached");
	is_int(state_append(h, 1001, 1001), 0, "a record is appended");
	reopen(&h, dir, &info);
	is_int(info.last_seq, 1001, "... and found");
	ops->close(h);
}

static int put_part(void *h, uint64_t seq, size_t first, size_t count)
{
	static const struct armada_state_chunk chunks[4] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};
	const struct armada_state_part p = {
		.seq = seq,
		.first = first,
		.total = 4,
		.total_bytes = 4,
		.chunks = chunks + first,
		.count = count,
	};

	return ops->snapshot_part(h, &p, &err);
}

/* Records are appended between the parts of a snapshot. */
static void test_parts(void)
{
	struct armada_state_info info;
	struct replayed seen;
	const char *dir = harness_dir();
	void *h;

	state_init(dir);
	state_open(dir, &h, NULL);
	state_append_by(h, 1, 100, 50);
	ops->history_put(h, 100, NULL, 0, NULL, 0, &err);
	is_int(put_part(h, 100, 1, 1), -EAGAIN, "a snapshot begins with its first part");
	is_int(put_part(h, 100, 0, 2), 0, "the first part of a snapshot");
	is_int(state_append(h, 101, 110), 0, "records are appended before the second");
	reopen(&h, dir, &info);
	ok(!info.snapshot_seq && info.last_seq == 110,
	   "half a snapshot is none, and no record is lost");
	is_int(put_part(h, 110, 2, 2), -EAGAIN, "it is not continued after an open");
	is_int(put_part(h, 110, 0, 1), 0, "another one begins");
	is_int(put_part(h, 110, 0, 2), 0, "... and begins again");
	state_append(h, 111, 120);
	is_int(put_part(h, 110, 2, 1), 0, "the third chunk");
	is_int(put_part(h, 110, 2, 1), -EAGAIN, "no chunk is taken twice");
	is_int(put_part(h, 110, 3, 1), 0, "the last chunk");
	ops->history_put(h, 120, NULL, 0, NULL, 0, &err);
	reopen(&h, dir, &info);
	state_replay(h, &seen);
	ok(info.snapshot_seq == 110 && seen.chunks == 4 && seen.first == 111 && seen.last == 120,
	   "all of it is found, and the records after it");
	ops->close(h);
}

int main(void)
{
	harness_load();
	test_round_trip();
	test_sequence();
	test_stop();
	test_snapshots();
	test_cut();
	test_history_behind();
	test_parts();
	return harness_done();
}
