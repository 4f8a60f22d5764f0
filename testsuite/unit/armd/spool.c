/*
 * The spool of a node: which records are durable at which time, the files after a crash, and the
 * detection of damaged files.
 */
#include "box.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_meta(struct box *b)
{
	struct ledger_meta m = {.epoch = 7, .floor = UINT64_MAX - 1, .boot_id = "boot"}, back;
	struct err err;

	is_int(spool_read_meta(&b->spool, &back, &err), 0, "a new spool has no meta");
	memset(m.node_id, 1, 16);
	memset(m.spool_id, 2, 16);
	memset(m.cluster_id, 3, 16);
	is_int(spool_write_meta(&b->spool, &m, &err), 0, "meta is written");
	is_int(spool_read_meta(&b->spool, &back, &err), 1, "meta is read back");
	ok(memcmp(&m, &back, sizeof(m)) == 0, "it is unchanged");
}

static void test_damaged_meta(struct box *b)
{
	CLEANUP_CLOSE int fd = openat(b->spool.dir, "meta", O_RDWR | O_CLOEXEC);
	struct ledger_meta back;
	struct err err;
	struct stat st;
	size_t missed = 0;

	fstat(fd, &st);
	for (off_t at = 0; at < st.st_size; at++) {
		uint8_t byte, flipped;

		if (pread(fd, &byte, 1, at) != 1)
			bail("meta cannot be read");
		flipped = byte ^ (uint8_t)(1 << (at % 8));
		if (pwrite(fd, &flipped, 1, at) != 1)
			bail("meta cannot be written");
		missed += spool_read_meta(&b->spool, &back, &err) != -EBADMSG;
		if (pwrite(fd, &byte, 1, at) != 1)
			bail("meta cannot be written");
	}
	is_int((long long)missed, 0, "a flipped bit in any byte of meta is detected");
	has_str(err.text, "meta is damaged", "the error says so");
	ftruncate(fd, 10);
	is_int(spool_read_meta(&b->spool, &back, &err), -EBADMSG, "a short meta is detected");
}

static void test_lock(struct box *b)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct spool other;
		struct err err;
		int rc = spool_open(&other, b->spool.path, &err);

		_exit(rc == -EBUSY && strstr(err.text, "in use by another armd, process") ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a second armd is refused");
}

static void test_permissions(struct box *b)
{
	struct spool s;
	struct err err;
	char path[600];
	struct stat st;

	snprintf(path, sizeof(path), "%s/open", b->dir);
	mkdir(path, 0777);
	chmod(path, 0777);
	is_int(spool_open(&s, path, &err), -EPERM, "a spool that others may write to is refused");
	has_str(err.text, "other users can write to", "the error gives the reason");
	fstat(b->spool.tasks, &st);
	is_int(st.st_mode & 0777, 0700, "tasks is private");
	snprintf(path, sizeof(path), "%s/link", b->dir);
	if (symlink(b->spool.path, path) < 0)
		bail("symlink");
	ok(spool_open(&s, path, &err) < 0, "a spool behind a symbolic link is refused");
}

static void make(struct box *b, uint64_t job, struct task_key *ret_key)
{
	uint8_t order[ORDER_SIZE];
	struct err err;

	memset(ret_key, 0, sizeof(*ret_key));
	*ret_key = (struct task_key){.job = job, .element = 3, .rank = 2, .attempt = 1};
	memset(order, 0x5a, sizeof(order));
	if (attempt_create(&b->spool, ret_key, 42, order, (const uint8_t *)"body", 4, &err) < 0 ||
	    spool_sync(&b->spool, &err) < 0)
		bail("%s", err.text);
}

static void load(struct box *b, const struct task_key *key, struct attempt *ret)
{
	CLEANUP_CLOSE int fd = -1;
	struct err err;

	*ret = (struct attempt){.key = *key};
	if (attempt_open(&b->spool, key, &fd, &err) < 0 ||
	    attempt_read(&b->spool, fd, b->arena, ret, &err) < 0)
		bail("%s", err.text);
}

static void write_end(struct box *b, const struct task_key *key, const char *text)
{
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	CLEANUP_CLOSE int fd = -1;

	end.cause = ARMADA__END_CAUSE__END_EXITED;
	end.exit_code = 5;
	end.text = (char *)(uintptr_t)text;
	attempt_open(&b->spool, key, &fd, NULL);
	is_int(attempt_write_end(fd, &end, NULL), 0, "an end is written");
}

static void test_attempt(struct box *b)
{
	struct attempt_start start = {.forked = true, .start_us = 99};
	CLEANUP_CLOSE int fd = -1;
	struct task_key key;
	struct attempt a;

	make(b, 812, &key);
	load(b, &key, &a);
	ok(a.has_order && a.same_boot && !a.damaged && !a.forked && !a.end,
	   "an accepted attempt is read");
	ok(a.seq == 42 && a.body_len == 4 && memcmp(a.body, "body", 4) == 0, "it has its order");
	attempt_open(&b->spool, &key, &fd, NULL);
	attempt_note_start(fd, &start);
	load(b, &key, &a);
	attempt_read_start(fd, &start);
	ok(a.forked && a.start_us == 99 && start.start_us == 99 && !a.ready, "it has its start");
	write_end(b, &key, "because");
	load(b, &key, &a);
	ok(a.end && a.end->exit_code == 5, "it has its end");
	is_str(a.end ? a.end->text : NULL, "because", "it has the text of its end");
	is_int(attempt_remove(&b->spool, &key, NULL), 0, "the attempt is removed");
	is_int(attempt_open(&b->spool, &key, &(int){-1}, NULL), -ENOENT,
	       "it cannot be opened again");
}

static void test_long_text(struct box *b)
{
	char text[8192];
	struct task_key key;
	struct attempt a;

	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[sizeof(text) - 1] = '\0';
	make(b, 5, &key);
	write_end(b, &key, text);
	load(b, &key, &a);
	ok(a.end && strlen(a.end->text) > 500, "a long text is cut between characters");
	write_end(b, &key, "a\xff\nb");
	load(b, &key, &a);
	is_str(a.end ? a.end->text : NULL, "a??b", "invalid bytes of a text are replaced");
	attempt_remove(&b->spool, &key, NULL);
}

/*
 * With a bit flipped in any byte, an end counts as missing and an order as damaged; no other value
 * is ever read.
 */
static void test_flips(struct box *b)
{
	struct task_key key;
	struct attempt a;
	CLEANUP_CLOSE int fd = -1;
	size_t silent = 0;
	struct stat st;

	make(b, 6, &key);
	write_end(b, &key, "x");
	attempt_open(&b->spool, &key, &fd, NULL);
	fstat(fd, &st);
	for (off_t at = 4608; at < st.st_size; at++) {
		uint8_t byte, flipped;

		if (pread(fd, &byte, 1, at) != 1)
			bail("cannot read");
		flipped = byte ^ 0x10;
		if (pwrite(fd, &flipped, 1, at) != 1)
			bail("cannot write");
		load(b, &key, &a);
		silent += !a.damaged || a.seq != UINT64_MAX;
		if (pwrite(fd, &byte, 1, at) != 1)
			bail("cannot write");
		arena_clear(b->arena);
	}
	is_int((long long)silent, 0, "a flipped bit in any byte of an order is detected");
	for (off_t at = 0; at < 54; at++) {
		pwrite(fd, "\xee", 1, at);
		load(b, &key, &a);
		silent += a.end != NULL;
		write_end(b, &key, "x");
	}
	is_int((long long)silent, 0, "a partly written end counts as missing");
	pwrite(fd, "\xee", 1, 20);
	load(b, &key, &a);
	ok(!a.end && a.end_damaged, "and is known to be there");
	attempt_remove(&b->spool, &key, NULL);
}

/* After a crash at any point a file is complete or missing. */
static void test_crash(struct box *b)
{
	struct task_key key = {.job = 9, .attempt = 1}, *keys;
	size_t count;
	int fd = openat(b->spool.tasks, "new.9_0.0.1", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int status, names;
	pid_t pid;

	if (write(fd, "half", 4) != 4)
		bail("cannot write");
	close(fd);
	is_int(attempt_list(&b->spool, &keys, &count, NULL), 0, "the spool is listed");
	is_int((long long)count, 0, "a partly written file is no attempt");
	free(keys);
	is_int(faccessat(b->spool.tasks, "new.9_0.0.1", F_OK, 0), -1, "it is removed");
	pid = fork();
	if (pid == 0) {
		/* its results do not count */
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		make(b, 9, &key);
		write_end(b, &key, "killed after this");
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	attempt_list(&b->spool, &keys, &count, NULL);
	names = count == 1 && keys[0].job == 9 && keys[0].element == 3;
	ok(names, "records written before a SIGKILL are there");
	free(keys);
}

static uint64_t inode(struct box *b, const char *name)
{
	struct stat st;

	return fstatat(b->spool.tasks, name, &st, 0) < 0 ? 0 : st.st_ino;
}

static uint64_t inode_of(struct box *b, const struct task_key *key)
{
	char name[ATTEMPT_NAME];

	attempt_name(key, name);
	return inode(b, name);
}

/* The file of a removed attempt is used again, but only after its removal is durable. */
static void test_spare(struct box *b)
{
	struct task_key key, *keys;
	struct attempt a;
	size_t count;
	uint64_t was;

	b->spool.reserve = (struct disk_reserve){0};
	make(b, 20, &key);
	write_end(b, &key, "of the old one");
	was = inode_of(b, &key);
	attempt_remove(&b->spool, &key, NULL);
	is_int((long long)inode_of(b, &key), 0, "no file has the old name");
	make(b, 21, &key);
	ok(inode_of(b, &key) != was, "the file is not used before its renaming is durable");
	make(b, 22, &key);
	ok(inode_of(b, &key) == was, "then it is used");
	load(b, &key, &a);
	ok(a.has_order && !a.damaged && !a.forked && !a.end && a.body_len == 4,
	   "it contains nothing of the old attempt");
	attempt_remove(&b->spool, &key, NULL);
	ok(inode(b, "spare.1") == was, "it is kept as a spare again");
	is_int(attempt_list(&b->spool, &keys, &count, NULL), 0, "the spool is listed");
	for (size_t i = 0; i < count; i++)
		ok(keys[i].job != 22, "a spare is no attempt");
	free(keys);
	is_int((long long)inode(b, "spare.1"), 0, "it is removed when the spool is listed");
	key.job = 21;
	attempt_remove(&b->spool, &key, NULL);
}

/* A shepherd that has reported its end and still holds the lock. */
static void test_spare_held(struct box *b)
{
	CLEANUP_CLOSE int fd = -1;
	struct task_key key;
	uint64_t was;

	b->spool.reserve = (struct disk_reserve){0};
	make(b, 23, &key);
	was = inode_of(b, &key);
	attempt_open(&b->spool, &key, &fd, NULL);
	spool_lock_file(fd);
	attempt_remove(&b->spool, &key, NULL);
	for (uint64_t job = 24; job < 26; job++) {
		make(b, job, &key);
		ok(inode_of(b, &key) != was, "a locked file is not used");
		attempt_remove(&b->spool, &key, NULL);
	}
}

static void test_attempt_lock(struct box *b)
{
	struct task_key key;
	int first = -1, second = -1, pipes[2];
	char c;
	pid_t pid;

	make(b, 10, &key);
	attempt_open(&b->spool, &key, &first, NULL);
	attempt_open(&b->spool, &key, &second, NULL);
	ok(spool_lock_file(first), "an attempt is locked");
	ok(!spool_lock_file(second), "a second lock is refused");
	if (pipe(pipes) < 0)
		bail("pipe");
	pid = fork();
	if (pid == 0) {
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1) < 0);
	}
	close(first);
	ok(!spool_lock_file(second), "a child that inherited it holds the lock");
	close(pipes[1]);
	waitpid(pid, NULL, 0);
	ok(spool_lock_file(second), "the lock is free after its death");
	close(second);
	close(pipes[0]);
}

static void test_names(void)
{
	static const char *const bad[] = {"",         "notify",   "1_2.3",       "1_2.3.4x",
					  "01_2.3.4", "-1_2.3.4", "1_2.3.4.ctl", "../1_2.3.4"};
	struct task_key key = {.job = UINT64_MAX, .element = 1, .rank = 2, .attempt = 3}, back;
	char name[ATTEMPT_NAME];
	size_t taken = 0;

	attempt_name(&key, name);
	is_str(name, "18446744073709551615_1.2.3", "a name is made of integers");
	ok(attempt_parse_name(name, &back) && task_key_equal(&key, &back), "the name is parsed");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		taken += attempt_parse_name(bad[i], &back);
	is_int((long long)taken, 0, "other names are refused");
}

int main(void)
{
	struct box b;

	box_open(&b);
	test_meta(&b);
	test_damaged_meta(&b);
	test_lock(&b);
	test_permissions(&b);
	test_attempt(&b);
	test_long_text(&b);
	test_flips(&b);
	test_crash(&b);
	test_attempt_lock(&b);
	test_spare(&b);
	test_spare_held(&b);
	test_names();
	box_close(&b);
	return done();
}
