/*
 * The size of the files: a start reads what lives and not the whole file, and space that is not needed is
 * given back. In: a log with large records that two snapshots have replaced.
 */
#include "unit/state/harness.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE_RECORDS = 48, LARGE_BYTES = 1 << 20 };

static int append_large(void *h, uint64_t first, uint64_t last)
{
	static char data[LARGE_BYTES];
	int rc = 0;

	for (uint64_t seq = first; seq <= last && !rc; seq++) {
		const struct armada_state_record r = {seq, data, sizeof(data)};

		memset(data, (int)seq, sizeof(data));
		rc = ops->append(h, &r, 1, &err);
	}
	return rc;
}

static uint64_t size_of(const char *dir, const char *name)
{
	struct stat st;

	return stat(harness_path(dir, name), &st) ? 0 : (uint64_t)st.st_size;
}

static int tidy(void *h)
{
	int rc, steps = 0;

	while ((rc = ops->tidy(h, &err)) > 0)
		steps++;
	return rc ? rc : steps;
}

/* Bytes that this process has read, 0: unknown. */
static uint64_t bytes_read(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/proc/self/io", "r");

	if (f && fscanf(f, "rchar: %llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/* Large records below two snapshots, which nothing has deleted yet. */
static const char *made_large(void)
{
	const char *dir = harness_dir();
	void *h;

	harness_option(1, 4 << 20);
	if (state_init(dir) || state_open(dir, &h, NULL) || append_large(h, 1, LARGE_RECORDS) ||
	    state_snapshot_at(h, LARGE_RECORDS, 3) ||
	    ops->history_put(h, LARGE_RECORDS, NULL, 0, NULL, 0, &err) ||
	    state_append(h, LARGE_RECORDS + 1, LARGE_RECORDS + 10) ||
	    state_snapshot_at(h, LARGE_RECORDS + 5, 3))
		bail("%s", err.text);
	ops->close(h);
	return dir;
}

static void test_start(const char *dir)
{
	uint64_t size = size_of(dir, "log.db"), before = bytes_read(), got;
	void *h;

	ok(size > LARGE_RECORDS * (uint64_t)LARGE_BYTES, "the log is large");
	if (state_open(dir, &h, NULL))
		bail("%s", err.text);
	got = bytes_read() - before;
	if (before)
		ok(got < size / 16, "a start reads what lives: %llu of %llu KiB",
		   (unsigned long long)got >> 10, (unsigned long long)size >> 10);
	else
		skip("bytes read: /proc/self/io cannot be read");
	is_int(ops->history_put(h, LARGE_RECORDS + 10, NULL, 0, NULL, 0, &err), 0,
	       "the history is complete");
	ops->close(h);
}

static void test_tidy(const char *dir)
{
	struct armada_state_info info;
	struct replayed seen;
	void *h;

	if (state_open(dir, &h, NULL))
		bail("%s", err.text);
	ok(tidy(h) > 1, "tidy works in steps");
	is_int(tidy(h), 0, "and ends");
	ok(size_of(dir, "log.db") < (20 << 20), "log.db has given its space back (%llu KiB)",
	   (unsigned long long)size_of(dir, "log.db") >> 10);
	ok(size_of(dir, "log.db-wal") < (20 << 20), "and so has its WAL");
	is_int(state_append(h, LARGE_RECORDS + 11, LARGE_RECORDS + 20), 0, "the log goes on");
	ops->close(h);
	is_int(state_open(dir, &h, &info), 0, "the state opens again");
	state_replay(h, &seen);
	ok(seen.chunks == 3 && seen.last == LARGE_RECORDS + 20 && !seen.wrong, "nothing is lost");
	ops->close(h);
}

static int64_t pragma(const char *dir, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	int64_t value = -1;

	sqlite3_open_v2(harness_path(dir, "log.db"), &db, SQLITE_OPEN_READWRITE, NULL);
	sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (sqlite3_step(st) == SQLITE_ROW)
		value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return value;
}

/* A log.db of a release before incremental vacuum. */
static void test_old_layout(void)
{
	const char *dir = harness_dir();
	struct replayed seen;
	sqlite3 *db;
	void *h;

	if (state_init(dir) || state_open(dir, &h, NULL) || state_append_by(h, 1, 1000, 50) ||
	    ops->history_put(h, 1000, NULL, 0, NULL, 0, &err) || state_snapshot_at(h, 300, 4) ||
	    state_snapshot_at(h, 600, 4))
		bail("%s", err.text);
	ops->close(h);
	sqlite3_open_v2(harness_path(dir, "log.db"), &db, SQLITE_OPEN_READWRITE, NULL);
	if (sqlite3_exec(db,
			 "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM; "
			 "PRAGMA journal_mode = WAL",
			 NULL, NULL, NULL))
		bail("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
	is_int(pragma(dir, "PRAGMA auto_vacuum"), 0, "a log of an earlier release");
	is_int(state_open(dir, &h, NULL), 0, "is opened");
	has_str(harness_logged(), "log.db was written anew",
		"the log says that it was written anew");
	state_replay(h, &seen);
	ok(seen.snapshot_seq == 600 && seen.last == 1000 && !seen.wrong, "nothing is lost");
	is_int(state_append(h, 1001, 1010), 0, "it goes on");
	ops->close(h);
	is_int(pragma(dir, "PRAGMA auto_vacuum"), 2, "it can shrink now");
	is_int(pragma(dir, "SELECT count(*) FROM snapshot"), 2, "it has both snapshots");
	is_int(pragma(dir, "SELECT min(seq) FROM record"), 301,
	       "and the records after the older one");
	is_int(state_open(dir, &h, NULL), 0, "it opens again");
	ok(!strstr(harness_logged(), "anew"), "and is not written again");
	ops->close(h);
}

int main(void)
{
	const char *dir;

	harness_load();
	dir = made_large();
	test_start(dir);
	test_tidy(dir);
	test_old_layout();
	return harness_done();
}
