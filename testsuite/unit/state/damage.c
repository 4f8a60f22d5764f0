/*
 * Damaged files of state/sqlite. A log that is cut at any place gives an exact prefix of the
 * records or is refused; a flipped bit is detected or has no effect. STATE_FLIPS=N tries more bits
 * than `make check` does.
 */
#include "unit/state/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCHES_MAX 200
#define FRAME       (24 + 4096)

/* After each append: the length of the WAL and the last record in it. */
static struct {
	size_t wal_bytes;
	uint64_t seq;
} commits[BATCHES_MAX];
static int commit_count;

static size_t wal_size(const char *dir)
{
	struct stat st;

	return stat(harness_path(dir, "log.db-wal"), &st) ? 0 : (size_t)st.st_size;
}

/*
 * Makes a state with snapshots, free pages and some records in log.db, and further batches in the WAL;
 * the process ends without closing the state.
 */
static void make_state(const char *dir, int batches, int pipe_fd)
{
	void *h;

	harness_option(1, 64 << 20); /* the WAL is not written back */
	/* Two more snapshots and records that are deleted again leave free pages. */
	if (state_init(dir) || state_open(dir, &h, NULL) || state_append_by(h, 1, 150, 30) ||
	    ops->history_put(h, 150, NULL, 0, NULL, 0, &err) || state_snapshot_at(h, 40, 8) ||
	    state_snapshot_at(h, 60, 8) || state_snapshot_at(h, 100, 4))
		_exit(1);
	if (state_append_by(h, 151, 300, 30) || state_snapshot_at(h, 200, 4))
		_exit(1);
	ops->close(h);
	if (state_open(dir, &h, NULL))
		_exit(1);
	for (int i = 0; i < batches; i++) {
		uint64_t first = i ? commits[i - 1].seq + 1 : 301;
		uint64_t last = first + (uint64_t)(i % 5 == 4 ? 40 : i % 3);

		if (i == batches - 1) {
			size_t len;
			void *mark = read_file(harness_path(dir, "log.mark"), &len);

			write_file(harness_path(dir, "mark.before"), mark, len);
		}
		if (state_append(h, first, last))
			_exit(1);
		commits[i].wal_bytes = wal_size(dir);
		commits[i].seq = last;
	}
	if (write(pipe_fd, commits, sizeof(commits)) != sizeof(commits))
		_exit(1);
	_exit(0);
}

static const char *base_state(int batches)
{
	const char *dir = harness_dir();
	int fds[2], status;

	if (pipe(fds))
		bail("pipe");
	if (fork() == 0)
		make_state(dir, batches, fds[1]);
	if (read(fds[0], commits, sizeof(commits)) != sizeof(commits))
		bail("the state could not be made");
	close(fds[0]);
	close(fds[1]);
	wait(&status);
	commit_count = batches;
	return dir;
}

static uint64_t last_acked(void)
{
	return commits[commit_count - 1].seq;
}

/* Opens and replays a state, and may append and open it again. Returns the outcome. */
enum outcome {
	REFUSED,
	WRONG,     /* a record changed, or is missing in the middle */
	SHORTER,   /* an exact prefix */
	LATE,      /* opened, but records acknowledged then are refused at the next open */
	IDENTICAL, /* all records, and the log can be continued */
};

static enum outcome look(const char *dir, uint64_t *ret_last)
{
	struct replayed seen;
	struct armada_state_info info;
	void *h;
	int rc;

	*ret_last = 0;
	if (state_open(dir, &h, &info))
		return REFUSED;
	rc = state_replay(h, &seen);
	*ret_last = seen.last ? seen.last : seen.snapshot_seq;
	if (rc || seen.wrong || *ret_last != info.last_seq) {
		ops->close(h);
		return rc ? REFUSED : WRONG;
	}
	rc = state_append(h, *ret_last + 1, *ret_last + 50);
	if (!rc && ops->history_put(h, *ret_last, NULL, 0, NULL, 0, &err) == 0) {
		state_snapshot_at(h, *ret_last, 6);
		state_append_by(h, *ret_last + 51, *ret_last + 100, 10);
		state_snapshot_at(h, *ret_last + 20, 6);
	}
	ops->close(h);
	if (rc)
		return REFUSED;
	if (state_open(dir, &h, &info))
		return LATE;
	rc = state_replay(h, &seen);
	ops->close(h);
	if (rc)
		return LATE;
	if (seen.wrong || seen.last != *ret_last + 100)
		return WRONG;
	return *ret_last < last_acked() ? SHORTER : IDENTICAL;
}

static uint64_t expected_last(size_t wal_bytes)
{
	uint64_t seq = 300;

	for (int i = 0; i < commit_count; i++)
		if (commits[i].wal_bytes <= wal_bytes)
			seq = commits[i].seq;
	return seq;
}

static void test_truncated(void)
{
	const char *base = base_state(60), *dir = harness_dir();
	size_t size = wal_size(base);
	int wrong = 0, unmarked = 0, tried = 0;
	uint64_t last;

	for (size_t cut = 0; cut <= size; cut += cut % FRAME < 60 ? 3 : 1009, tried++) {
		bool whole = expected_last(cut) == last_acked();
		enum outcome out;

		copy_dir(base, dir);
		if (truncate(harness_path(dir, "log.db-wal"), (off_t)cut))
			bail("truncate");
		out = look(dir, &last);
		if (whole ? out != IDENTICAL : out != REFUSED)
			unmarked++;
		copy_dir(base, dir);
		if (truncate(harness_path(dir, "log.db-wal"), (off_t)cut) ||
		    unlink(harness_path(dir, "log.mark")))
			bail("truncate");
		out = look(dir, &last);
		if ((out != SHORTER && out != IDENTICAL) || last != expected_last(cut)) {
			diag("cut at %zu: outcome %d, record %llu, not %llu: %s", cut, out,
			     (unsigned long long)last, (unsigned long long)expected_last(cut),
			     err.text);
			wrong++;
		}
	}
	is_int(unmarked, 0, "a WAL that lacks acknowledged records is refused (%d cuts)", tried);
	is_int(wrong, 0, "without the mark the WAL gives an exact prefix");
	copy_dir(base, dir);
	unlink(harness_path(dir, "log.db-wal"));
	ok(look(dir, &last) == REFUSED, "a missing WAL is refused");
	has_str(err.text, "log.db ends at record 300", "the message names the missing records");
	copy_dir(base, dir);
	ok(look(dir, &last) == IDENTICAL, "the undamaged state is complete");
}

/*
 * A power failure: the pages of the last transaction reach the disk in any order, and the mark is
 * that of the transaction before it.
 */
static void test_power_failure(void)
{
	const char *base = base_state(60), *dir = harness_dir();
	size_t from = commits[58].wal_bytes, size = wal_size(base), len;
	char zeros[512] = {0};
	int wrong = 0, tried = 0;
	uint64_t last;

	copy_dir(base, dir);
	free(read_file(harness_path(base, "mark.before"), &len));
	rename(harness_path(base, "mark.before"), harness_path(base, "log.mark"));
	for (size_t at = from; at < size; at += 512, tried++) {
		char *wal, *path;
		enum outcome out;

		copy_dir(base, dir);
		path = strdup(harness_path(dir, "log.db-wal"));
		wal = read_file(path, &len);
		memcpy(wal + at, zeros, size - at < 512 ? size - at : 512);
		write_file(path, wal, len);
		free(wal);
		free(path);
		out = look(dir, &last);
		if (out != IDENTICAL && !(out == SHORTER && last == commits[58].seq)) {
			diag("hole at %zu: outcome %d, record %llu: %s", at, out,
			     (unsigned long long)last, err.text);
			wrong++;
		}
	}
	ok(size - from >= 4 * FRAME, "the last transaction has several frames");
	is_int(wrong, 0, "a hole in an unacknowledged transaction is no damage (%d holes)", tried);
}

static void damage(const char *path, unsigned *seed, bool sector)
{
	size_t len, at;
	uint8_t *data = read_file(path, &len);

	at = (size_t)rand_r(seed) % len;
	if (sector)
		memset(data + at / 512 * 512, 0xa5, len - at / 512 * 512 < 512 ? len % 512 : 512);
	else
		data[at] ^= (uint8_t)(1 << rand_r(seed) % 8);
	write_file(path, data, len);
	free(data);
}

static void try_damage(const char *base, const char *dir, const char *name, int rounds, bool sector)
{
	int count[5] = {0};
	uint64_t last;

	for (int i = 0; i < rounds; i++) {
		unsigned seed = (unsigned)i * 2654435761u + (unsigned)name[strlen(name) - 1];
		enum outcome out;

		copy_dir(base, dir);
		damage(harness_path(dir, name), &seed, sector);
		out = look(dir, &last);
		count[out]++;
		if (out == WRONG || out == SHORTER || out == LATE)
			diag("%s, round %d: outcome %d, record %llu: %s", name, i, out,
			     (unsigned long long)last, err.text);
	}
	is_int(count[WRONG], 0, "%s in %s: no record changes (%d tries)",
	       sector ? "a lost sector" : "a flipped bit", name, rounds);
	is_int(count[SHORTER], 0, "no record is lost silently (%d found, %d harmless)",
	       count[REFUSED], count[IDENTICAL]);
}

static void test_flips(int rounds)
{
	static const char *const names[] = {"log.db", "log.db-wal", "log.mark"};
	const char *base = base_state(60), *dir = harness_dir();

	for (int i = 0; i < 3; i++)
		try_damage(base, dir, names[i], i == 2 ? rounds / 8 : rounds, false);
	for (int i = 0; i < 2; i++)
		try_damage(base, dir, names[i], rounds / 8, true);
}

/* After a power failure the mark may be old: the checksums must find the damage. */
static void test_flips_unmarked(int rounds)
{
	const char *base = base_state(60), *dir = harness_dir();
	int refused = 0, wrong = 0;
	uint64_t last;

	unlink(harness_path(base, "log.mark"));
	for (int i = 0; i < rounds; i++) {
		unsigned seed = (unsigned)i * 2246822519u;
		enum outcome out;

		copy_dir(base, dir);
		damage(harness_path(dir, "log.db-wal"), &seed, false);
		out = look(dir, &last);
		refused += out == REFUSED;
		if (out == WRONG || (out == SHORTER && last < commits[58].seq)) {
			diag("round %d: outcome %d, record %llu", i, out, (unsigned long long)last);
			wrong++;
		}
	}
	is_int(wrong, 0, "without the mark a flipped bit costs the last batch at most (%d tries)",
	       rounds);
	ok(refused > rounds / 2, "most flipped bits are found (%d)", refused);
}

static void test_snapshot_fallback(void)
{
	const char *base = base_state(1), *dir = harness_dir();
	struct armada_state_info info;
	struct replayed seen;
	char text[RECORD_MAX], *path, *data;
	size_t len, n = record_text(200 * 1000003 + 17, text);
	void *h, *found;

	copy_dir(base, dir);
	path = strdup(harness_path(dir, "log.db"));
	data = read_file(path, &len);
	found = memmem(data, len, text, n < 200 ? n : 200);
	ok(found && n > 8, "a chunk of the newest snapshot is in the file");
	if (found)
		*(char *)found ^= 1;
	write_file(path, data, len);
	free(data);
	free(path);
	is_int(state_open(dir, &h, &info), 0, "a damaged snapshot is skipped");
	is_int(info.snapshot_seq, 100, "the snapshot before it is used");
	has_str(harness_logged(), "the snapshot at record 200",
		"the log names the damaged snapshot");
	state_replay(h, &seen);
	ok(seen.first == 101 && seen.last == last_acked() && !seen.wrong, "no record is missing");
	is_int(state_snapshot_at(h, 200, 4), 0, "the damaged snapshot is written again");
	ops->close(h);
	state_open(dir, &h, &info);
	is_int(info.snapshot_seq, 200, "the new snapshot is good");
	ops->close(h);
}

int main(void)
{
	int rounds = getenv("STATE_FLIPS") ? atoi(getenv("STATE_FLIPS")) : 150;

	harness_load();
	test_truncated();
	test_power_failure();
	test_flips(rounds);
	test_flips_unmarked(rounds);
	test_snapshot_fallback();
	return harness_done();
}
