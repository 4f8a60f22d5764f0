/*
 * Conditions under which state/sqlite refuses a state before it changes a file, and the messages:
 * missing and foreign files, permissions, another user of the state, a full or read-only file
 * system.
 */
#include "unit/state/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void refused(const char *dir, int code, const char *words, const char *what)
{
	void *h;
	int rc = state_open(dir, &h, NULL);

	is_int(rc, code, "%s is refused", what);
	has_str(err.text, words, "the message has the reason");
	if (!rc)
		ops->close(h);
}

static void good(const char *dir, const char *what)
{
	void *h;
	int rc = state_open(dir, &h, NULL);

	is_int(rc, 0, "%s", what);
	if (!rc)
		ops->close(h);
	else
		diag("%s", err.text);
}

static const char *made(void)
{
	const char *dir = harness_dir();
	void *h;

	if (state_init(dir) || state_open(dir, &h, NULL) || state_append(h, 1, 10))
		bail("%s", err.text);
	ops->close(h);
	return dir;
}

static void test_presence(void)
{
	const char *dir = harness_dir(), *other = harness_dir();

	refused(dir, -ENOENT, "armctld --init", "an absent directory");
	mkdir(dir, 0700);
	refused(dir, -ENOENT, "armctld --init", "an empty directory");
	ok(access(harness_path(dir, "lock"), F_OK) != 0, "no file is left in it");
	is_int(state_init(dir), 0, "a state is created in an empty directory");
	good(dir, "the new state opens");
	is_int(state_init(dir), -EEXIST, "a second init is refused");
	has_str(err.text, "already holds the state", "the message has the reason");
	is_int(state_init(harness_path(other, "deeper")), -ENOENT,
	       "an init below an absent directory is refused");
	has_str(err.text, "above it does not exist", "the message names the directory");
	copy_dir(dir, other);
	unlink(harness_path(other, "log.db"));
	refused(other, -EUCLEAN, "log.db", "a state without its log");
	is_int(state_init(other), -EEXIST, "init on it is refused");
}

static void test_held(void)
{
	const char *dir = made();
	char pid_text[32];
	int fds[2], status;
	char byte = 0;
	void *h;
	pid_t pid;

	if (pipe(fds))
		bail("pipe");
	pid = fork();
	if (pid == 0) {
		if (state_open(dir, &h, NULL) || write(fds[1], &byte, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(fds[0], &byte, 1) != 1)
		bail("no holder");
	snprintf(pid_text, sizeof(pid_text), "(pid %d)", (int)pid);
	refused(dir, -EBUSY, pid_text, "a second controller");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	good(dir, "after the first ends the second opens");
	state_open(dir, &h, NULL);
	refused(dir, -EBUSY, "held by another controller", "a second open in one process");
	is_int(state_append(h, 11, 11), 0, "the first controller can still append");
	ops->close(h);
	close(fds[0]);
	close(fds[1]);
}

static void test_modes(void)
{
	static const struct {
		const char *name;
		mode_t bad, good;
	} modes[] = {
		{".", 0755, 0700},          {".", 0770, 0710},        {"log.db", 0640, 0600},
		{"history.db", 0644, 0640}, {"log.mark", 0604, 0600}, {"lock", 0620, 0600},
	};
	const char *dir = made();

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		char mode[8];

		snprintf(mode, sizeof(mode), "%04o", (unsigned)modes[i].bad);
		chmod(harness_path(dir, modes[i].name), modes[i].bad);
		refused(dir, -EPERM, mode, "a file with access for others");
		chmod(harness_path(dir, modes[i].name), modes[i].good);
		good(dir, "the private mode is accepted");
	}
	rename(harness_path(dir, "log.db"), harness_path(dir, "real"));
	if (symlink("real", harness_path(dir, "log.db")))
		bail("symlink");
	refused(dir, -EPERM, "not a plain file", "a symbolic link");
	unlink(harness_path(dir, "log.db"));
	rename(harness_path(dir, "real"), harness_path(dir, "log.db"));
	if (geteuid() != 0) {
		skip("files of another owner: needs root");
		return;
	}
	if (chown(harness_path(dir, "log.db"), 65534, 65534))
		bail("chown");
	refused(dir, -EPERM, "owned by uid 65534", "a file of another owner");
}

static void change(const char *dir, const char *name, const char *sql)
{
	sqlite3 *db;

	if (sqlite3_open_v2(harness_path(dir, name), &db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL))
		bail("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static void test_contents(void)
{
	static const struct {
		const char *name, *sql;
		int code;
		const char *words;
	} changes[] = {
		{"log.db", "PRAGMA user_version = 2", -ENOTSUP, "newer release"},
		{"history.db", "PRAGMA user_version = 9", -ENOTSUP, "newer release"},
		{"log.db", "PRAGMA application_id = 1", -EUCLEAN, "is not a database of Armada"},
		{"log.db", "DELETE FROM record WHERE seq = 5", -EUCLEAN, "record 5 is missing"},
		{"log.db", "DELETE FROM record WHERE seq < 3", -EUCLEAN, "record 1 is missing"},
		{"log.db", "DELETE FROM record WHERE seq > 8", -EUCLEAN,
		 "record 10 was acknowledged"},
		{"log.db", "UPDATE record SET data = x'00' WHERE seq = 7", -EUCLEAN,
		 "record 7 does not match its checksum"},
		{"log.db", "DELETE FROM meta", -EUCLEAN, "meta table"},
		{"log.db", "UPDATE meta SET value = zeroblob(16) WHERE id = 1", -EUCLEAN,
		 "meta table"},
		{"log.db", "DROP TABLE chunk", -EUCLEAN, "table chunk"},
		{"log.db", "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END",
		 -EUCLEAN, "trigger t"},
	};
	const char *base = made(), *dir = harness_dir();

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		copy_dir(base, dir);
		change(dir, changes[i].name, changes[i].sql);
		refused(dir, changes[i].code, changes[i].words, changes[i].sql);
	}
	copy_dir(base, dir);
	write_file(harness_path(dir, "log.db"), "this is no database at all, it is a text", 40);
	refused(dir, -EUCLEAN, "not a database", "a file of another format");
}

static void test_other_cluster(void)
{
	const uint8_t other_id[16] = "another one     ";
	const char *dir = made(), *other = harness_dir();
	size_t len;
	void *data;

	ops->init(other, other_id, NULL, &err);
	data = read_file(harness_path(other, "history.db"), &len);
	write_file(harness_path(dir, "history.db"), data, len);
	free(data);
	refused(dir, -EINVAL, "different clusters", "the history of another cluster");
}

static void test_busy(void)
{
	const char *dir = made();
	sqlite3 *db;

	sqlite3_open_v2(harness_path(dir, "log.db"), &db, SQLITE_OPEN_READWRITE, NULL);
	sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	refused(dir, -EBUSY, "another program has it open", "a log that a shell has open");
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	good(dir, "the state opens after the other program ends");
}

/*
 * Appends until the disk is full: then no append is accepted, and all earlier records are present.
 */
static void fill(const char *dir, uint64_t seq, bool ballast)
{
	struct armada_state_info info;
	struct replayed seen;
	void *h;
	int rc;

	if (state_open(dir, &h, NULL))
		_exit(10);
	do
		rc = state_append(h, seq + 1, seq + 20);
	while (!rc && (seq += 20) < 100000);
	if (rc != -ENOSPC || state_append(h, seq + 1, seq + 20) != -ENOSPC)
		_exit(11);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	if (ballast && truncate(harness_path(dir, "ballast"), 0))
		_exit(13);
	if (state_append(h, seq + 1, seq + 20))
		_exit(16);
	seq += 20;
	ops->close(h);
	if (state_open(dir, &h, &info))
		_exit(14);
	rc = state_replay(h, &seen);
	_exit(rc || seen.wrong || seen.last < seq ? 15 : 0);
}

static int exit_of(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void limit_files(rlim_t bytes)
{
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
}

static _Noreturn void snapshot_too_large(const char *dir)
{
	struct replayed seen;
	void *h;

	limit_files(300000);
	if (state_open(dir, &h, NULL) || state_snapshot_at(h, 10, 1000) != -ENOSPC)
		_exit(2);
	ops->close(h);
	limit_files(RLIM_INFINITY);
	if (state_open(dir, &h, NULL) || state_replay(h, &seen))
		_exit(3);
	if (seen.chunks || seen.last != 10 || seen.wrong)
		_exit(4);
	if (state_append(h, 11, 30) || state_snapshot_at(h, 30, 1000))
		_exit(5);
	ops->close(h);
	_exit(0);
}

static void test_file_limit(void)
{
	const char *dir = made();
	pid_t pid = fork();

	if (pid == 0) {
		limit_files(300000);
		fill(dir, 10, false);
	}
	is_int(exit_of(pid), 0, "a write that lacks space loses nothing, and is repeated");
	dir = made();
	pid = fork();
	if (pid == 0)
		snapshot_too_large(dir);
	is_int(exit_of(pid), 0, "a snapshot that fails leaves the log unchanged");
}

/* Runs in a child with a small file system; exits with 77 if mount is not permitted. */
static _Noreturn void in_small_fs(const char *dir, bool read_only)
{
	size_t len = 1500 << 10;
	void *h;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", dir, "tmpfs", 0, "size=2M,mode=0700"))
		_exit(77);
	if (state_init(dir) || state_open(dir, &h, NULL) || state_append(h, 1, 10))
		_exit(2);
	ops->close(h);
	if (read_only) {
		int rc = mount("none", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL)
				 ? 77
				 : state_open(dir, &h, NULL) != -EROFS ||
					   !strstr(err.text, "read-only");
		_exit(rc);
	}
	if (state_open(dir, &h, NULL) || state_snapshot_at(h, 10, 1000) != -ENOSPC ||
	    state_snapshot_at(h, 10, 1000) != -ENOSPC || state_snapshot_at(h, 10, 2))
		_exit(4);
	ops->close(h);
	write_file(harness_path(dir, "ballast"), calloc(1, len), len);
	fill(dir, 10, true);
	_exit(3);
}

static void test_mounts(void)
{
	static const char *const what[] = {"a full disk is reported and loses nothing",
					   "a read-only file system is refused with a message"};

	for (int i = 0; i < 2; i++) {
		const char *dir = harness_dir();
		pid_t pid;
		int rc;

		mkdir(dir, 0700);
		pid = fork();
		if (pid == 0)
			in_small_fs(dir, i == 1);
		rc = exit_of(pid);
		if (rc == 77)
			skip("%s: needs the right to mount", what[i]);
		else
			is_int(rc, 0, "%s", what[i]);
	}
}

int main(void)
{
	harness_load();
	test_presence();
	test_held();
	test_modes();
	test_contents();
	test_other_cluster();
	test_busy();
	test_file_limit();
	test_mounts();
	return harness_done();
}
