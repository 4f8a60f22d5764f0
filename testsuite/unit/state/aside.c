/*
 * A history that is missing or damaged does not stop the controller: the file is set aside, a new one is
 * begun, and the log names both. In: states with one kind of damage each. Out: every open succeeds, the log
 * of records is whole, and rows of records after the snapshot can be written again.
 */
#include "unit/state/harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 400 };

static int put(void *h, uint64_t first, uint64_t last, uint64_t seq)
{
	static struct armada_history_row rows[JOBS];
	size_t n = 0;

	for (uint64_t job = first; job <= last; job++)
		rows[n++] = (struct armada_history_row){.seq = job,
							.job = job,
							.user = "u",
							.queue = "q",
							.job_set = "",
							.name = "n",
							.nodes = "",
							.row = "row",
							.row_len = 3};
	return ops->history_put(h, seq, rows, n, NULL, 0, &err);
}

static int count_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *row,
		     size_t len)
{
	(void)job, (void)first, (void)last, (void)row, (void)len;
	++*(int *)arg;
	return 0;
}

static int rows_of(void *h)
{
	const struct armada_history_filter all = {0};
	int count = 0, rc = ops->history_find(h, &all, count_row, &count, &err);

	return rc < 0 ? rc : count;
}

/* Records 1 to 500, a snapshot at 300, rows of 400 jobs. There are WALs: the process ends without a close. */
static const char *base_state(void)
{
	const char *dir = harness_dir();
	int status;
	void *h;
	pid_t pid;

	if (state_init(dir))
		bail("%s", err.text);
	pid = fork();
	if (pid == 0) {
		if (state_open(dir, &h, NULL) || state_append_by(h, 1, 500, 50) ||
		    state_snapshot_at(h, 300, 2))
			_exit(1);
		for (uint64_t job = 1; job <= JOBS; job += 40)
			if (put(h, job, job + 39, job + 39))
				_exit(1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		bail("the state could not be made");
	return dir;
}

/* The files that were set aside, without their WALs. */
static int kept(const char *dir)
{
	DIR *d = opendir(dir);
	int count = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		count += strncmp(e->d_name, "history.db.damaged-", 19) == 0 &&
			 !strstr(e->d_name, "-wal");
	if (d)
		closedir(d);
	return count;
}

static void change(const char *dir, const char *sql)
{
	sqlite3 *db;

	if (sqlite3_open_v2(harness_path(dir, "history.db"), &db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL))
		bail("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static void garbage(const char *path, off_t from, off_t end)
{
	static const uint8_t page[4096] = {0xee, 0xee};
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	for (; fd >= 0 && from < end; from += (off_t)sizeof(page))
		if (pwrite(fd, page, sizeof(page), from) != sizeof(page))
			bail("%s", path);
	close(fd);
}

enum damage { MISSING, MISSING_BOTH, NO_DATABASE, NO_INDEX, A_VIEW, META, CUT, DAMAGES };

static const char *const damages[DAMAGES] = {
	[MISSING] = "a missing history.db",
	[MISSING_BOTH] = "a missing history.db and WAL",
	[NO_DATABASE] = "a text",
	[NO_INDEX] = "a missing index",
	[A_VIEW] = "a view",
	[META] = "an empty meta table",
	[CUT] = "a history.db of one byte",
};

static void inflict(const char *dir, enum damage what)
{
	const char *path = harness_path(dir, "history.db");

	switch (what) {
	case MISSING_BOTH:
		unlink(harness_path(dir, "history.db-wal"));
		unlink(path);
		break;
	case MISSING:
		unlink(path);
		break;
	case NO_DATABASE:
		unlink(harness_path(dir, "history.db-wal"));
		garbage(path, 0, 40960);
		break;
	case NO_INDEX:
		change(dir, "DROP INDEX row_user");
		break;
	case A_VIEW:
		change(dir, "CREATE VIEW v AS SELECT 1");
		break;
	case META:
		change(dir, "DELETE FROM meta");
		break;
	default:
		unlink(harness_path(dir, "history.db-wal"));
		if (truncate(path, 1))
			bail("truncate");
	}
}

static void test_open(const char *base)
{
	const char *dir = harness_dir();
	struct armada_state_info info;
	struct replayed seen;
	void *h;

	for (int i = 0; i < DAMAGES; i++) {
		copy_dir(base, dir);
		inflict(dir, i);
		is_int(state_open(dir, &h, &info), 0, "%s does not stop the controller",
		       damages[i]);
		has_str(harness_logged(), "/history.db", "the log names the file");
		if (i != MISSING && i != MISSING_BOTH)
			has_str(harness_logged(), "history.db.damaged-",
				"and the file that was set aside");
		is_int(kept(dir), i != MISSING && i != MISSING_BOTH, "the damaged file is kept");
		is_int(info.history_seq, 300, "rows after the snapshot are written again");
		is_int(rows_of(h), 0, "the new history is empty");
		is_int(put(h, 301, 310, 500), 0, "rows are put");
		is_int(rows_of(h), 10, "and found");
		is_int(state_replay(h, &seen), 0, "the log is replayed");
		ok(seen.last == 500 && !seen.wrong, "no record is lost");
		ops->close(h);
	}
}

/* Also damage that cannot be seen leaves a controller that starts. */
static void test_flips(const char *base, int rounds)
{
	static const char *const names[] = {"history.db", "history.db-wal"};
	const char *dir = harness_dir();
	int refused = 0;
	unsigned seed = 99;
	void *h;

	for (int i = 0; i < rounds; i++) {
		char *path, *data;
		size_t len, at;

		copy_dir(base, dir);
		path = strdup(harness_path(dir, names[i % 2]));
		data = read_file(path, &len);
		at = (size_t)rand_r(&seed) % len;
		data[at] ^= (char)(1 << rand_r(&seed) % 8);
		write_file(path, data, len);
		if (state_open(dir, &h, NULL)) {
			refused++;
			diag("%s, byte %zu: %s", names[i % 2], at, err.text);
		} else {
			refused += put(h, 401, 440, 440) != 0;
			ops->close(h);
		}
		free(data);
		free(path);
	}
	is_int(refused, 0, "no flipped bit of the history stops the controller (%d tries)", rounds);
}

static void test_running(const char *base)
{
	const char *dir = harness_dir();
	struct stat st;
	void *h;

	copy_dir(base, dir);
	if (state_open(dir, &h, NULL))
		bail("%s", err.text);
	stat(harness_path(dir, "history.db"), &st);
	garbage(harness_path(dir, "history.db"), 4096, st.st_size);
	is_int(rows_of(h), -EUCLEAN, "a query of a history that is damaged while it is open fails");
	has_str(harness_logged(), "a query about ended jobs failed", "the log says so");
	is_int(put(h, 401, 410, 410), 0, "the next write begins a new history");
	has_str(harness_logged(), "was set aside as", "the log says so");
	is_int(rows_of(h), 10, "what was written is found");
	is_int(state_append(h, 501, 510), 0, "the log goes on");
	ops->close(h);
	is_int(state_open(dir, &h, NULL), 0, "the state opens again");
	ops->close(h);
	for (int i = 0; i < 5; i++) {
		garbage(harness_path(dir, "history.db"), 0, 4096);
		if (state_open(dir, &h, NULL))
			bail("%s", err.text);
		ops->close(h);
	}
	is_int(kept(dir), 3, "of the damaged files the newest three are kept");
}

/* A restored old copy has its rows; only those between are missing. */
static void test_old_copy(const char *base)
{
	const char *dir = harness_dir(), *old = harness_dir();
	struct armada_state_info info;
	size_t len;
	void *h, *data;

	copy_dir(base, dir);
	if (state_open(dir, &h, NULL))
		bail("%s", err.text);
	ops->close(h);
	copy_dir(dir, old);
	if (state_open(dir, &h, NULL) || put(h, 401, 410, 500) ||
	    state_append_by(h, 501, 2000, 50) || state_snapshot_at(h, 900, 1) ||
	    ops->history_put(h, 2000, NULL, 0, NULL, 0, &err) || state_snapshot_at(h, 1900, 1) ||
	    state_append_by(h, 2001, 4000, 50))
		bail("%s", err.text);
	ops->close(h);
	data = read_file(harness_path(old, "history.db"), &len);
	write_file(harness_path(dir, "history.db"), data, len);
	free(data);
	is_int(state_open(dir, &h, &info), 0, "an old copy of the history is used");
	has_str(harness_logged(), "complete only up to record 400", "the log says what is missing");
	is_int(rows_of(h), JOBS, "its rows are found");
	ops->close(h);
}

int main(void)
{
	const char *base;

	harness_load();
	base = base_state();
	test_open(base);
	test_flips(base, getenv("STATE_FLIPS") ? atoi(getenv("STATE_FLIPS")) : 100);
	test_running(base);
	test_old_copy(base);
	return harness_done();
}
