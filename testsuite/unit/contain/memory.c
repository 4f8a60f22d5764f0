/*
 * The peak memory of a task as each contain plugin reports it: memory of processes, not the files that
 * the kernel keeps for them. The file is built once for each plugin (PLUGIN).
 */
#include "task.h"

#include "tap/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, PAGE = 4096, FILE_MIB = 96 };

static const struct armada_contain_limits plain = {.cpu_milli = 1000, .memory_bytes = 512LL * MIB};
static char path[4096];

static void say(char byte)
{
	if (write(SAID, &byte, 1) != 1)
		_exit(98);
}

static _Noreturn void sleep_on(void)
{
	for (;;)
		pause();
}

static char *touch(size_t bytes, int flags)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; p != MAP_FAILED && i < bytes; i += PAGE)
		p[i] = 1;
	return p;
}

static void end_task(struct task *t)
{
	ok(task_kill(t) >= 0, "no process of the task is left");
	ops->finish(t->handle);
	close(t->alive);
	close(t->said);
}

/* The usage after the end of the leader, when its memory is gone. */
static struct armada_contain_usage usage_at_end(struct task *t)
{
	task_wait_leader(t);
	return task_usage(t);
}

static bool has_group(void)
{
	return strcmp(PLUGIN, "rlimit") != 0;
}

/* ---- files are no memory of processes ---- */

static void write_and_read(void)
{
	static char bytes[MIB];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < FILE_MIB; i++)
		if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
			_exit(97);
	lseek(fd, 0, SEEK_SET);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	say('r');
}

/* The cache is gone when the usage is read. */
static void write_and_remove(void)
{
	write_and_read();
	unlink(path);
}

static void map_file(void)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	const char *p = mmap(NULL, FILE_MIB * MIB, PROT_READ, MAP_SHARED, fd, 0);
	volatile char sum = 0;

	if (ftruncate(fd, FILE_MIB * MIB) < 0)
		_exit(97);
	for (size_t i = 0; p != MAP_FAILED && i < FILE_MIB * MIB; i += PAGE)
		sum = (char)(sum + p[i]);
	say('m');
	sleep_on();
}

static void test_files(void)
{
	struct armada_contain_usage u;
	struct task t;

	if (!ok(task_begin(&t, &plain, write_and_read), "a task writes and reads a file of %d MiB",
		FILE_MIB))
		return;
	is_int(task_hear(&t), 'r', "it did so");
	u = usage_at_end(&t);
	ok(u.max_rss_bytes > 0 && u.max_rss_bytes < 24 * MIB, "its peak memory is small: %lld",
	   (long long)u.max_rss_bytes);
	if (has_group())
		ok(u.group_peak_bytes > FILE_MIB / 2 * MIB, "the group's peak has the cache: %lld",
		   (long long)u.group_peak_bytes);
	else
		is_int(u.group_peak_bytes, 0, "there is no group");
	end_task(&t);

	if (!ok(task_begin(&t, &plain, write_and_remove), "a task writes and removes a file"))
		return;
	is_int(task_hear(&t), 'r', "it did so");
	u = usage_at_end(&t);
	ok(u.max_rss_bytes < 24 * MIB, "its peak memory is small: %lld",
	   (long long)u.max_rss_bytes);
	end_task(&t);
}

/*
 * The largest child that this process ever had counts for later tasks, so this test comes after the
 * others.
 */
static void test_mapped(void)
{
	struct armada_contain_usage u;
	struct task t;

	if (!ok(task_begin(&t, &plain, map_file), "a task maps a file"))
		return;
	is_int(task_hear(&t), 'm', "it did so");
	task_usage(&t);
	kill(t.leader, SIGKILL);
	u = usage_at_end(&t);
	ok(u.max_rss_bytes < 24 * MIB, "its peak memory is small: %lld",
	   (long long)u.max_rss_bytes);
	end_task(&t);
}

/* ---- memory of processes ---- */

/* Two processes, of which one has shared memory. */
static void two(void)
{
	pid_t child = fork();

	if (child == 0) {
		touch(48 * MIB, MAP_SHARED);
		say('c');
		sleep_on();
	}
	touch(48 * MIB, MAP_PRIVATE);
	say('p');
	sleep_on();
}

static void test_sample(void)
{
	struct armada_contain_usage u;
	struct task t;

	if (!ok(task_begin(&t, &plain, two), "two processes have 48 MiB each"))
		return;
	task_hear(&t);
	task_hear(&t);
	u = task_usage(&t);
	ok(u.max_rss_bytes >= 96 * MIB && u.max_rss_bytes < 128 * MIB,
	   "while they run, both count: %lld", (long long)u.max_rss_bytes);
	task_kill(&t);
	is_int(task_usage(&t).max_rss_bytes, u.max_rss_bytes, "the peak stays when they are dead");
	end_task(&t);
}

/* 160 MiB for a moment; no sample sees them. */
static void spike(void)
{
	char *p = touch(160 * MIB, MAP_PRIVATE);

	munmap(p, 160 * MIB);
}

static void test_spike(void)
{
	struct armada_contain_usage u;
	struct task t;

	if (!ok(task_begin(&t, &plain, spike), "a task has 160 MiB for a moment"))
		return;
	u = usage_at_end(&t);
	ok(u.max_rss_bytes >= 160 * MIB && u.max_rss_bytes < 190 * MIB, "they count: %lld",
	   (long long)u.max_rss_bytes);
	end_task(&t);
}

/* ---- processor time of processes that run ---- */

static void burn(void)
{
	struct timespec ts;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	while (ts.tv_sec == 0 && ts.tv_nsec < 200000000);
	say('b');
	sleep_on();
}

static void test_cpu(void)
{
	struct armada_contain_usage u, after;
	struct task t;

	if (!ok(task_begin(&t, &plain, burn), "a task uses 200 ms of a cpu"))
		return;
	is_int(task_hear(&t), 'b', "it did so");
	u = task_usage(&t);
	ok(u.cpu_us >= 180000 && u.cpu_us < 10000000, "they count while it runs: %lld",
	   (long long)u.cpu_us);
	task_kill(&t);
	after = task_usage(&t);
	ok(u.user_us + u.system_us > 0 && after.user_us >= u.user_us &&
		   after.system_us >= u.system_us,
	   "so do the parts in user mode and in the kernel: %lld and %lld", (long long)u.user_us,
	   (long long)u.system_us);
	ok(after.cpu_us >= u.cpu_us, "and when it has ended: %lld", (long long)after.cpu_us);
	end_task(&t);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	struct statfs fs;
	bool in_memory;

	if (!task_load(PLUGIN))
		return done();
	snprintf(path, sizeof(path), "%s/armada-unit.%s.%d", tmp ? tmp : "/tmp", PLUGIN,
		 (int)getpid());
	in_memory = statfs(tmp ? tmp : "/tmp", &fs) == 0 &&
		    (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
	if (in_memory)
		skip("%s is in memory", path);
	else
		test_files();
	test_cpu();
	if (!in_memory)
		test_mapped();
	unlink(path);
	test_sample();
	test_spike();
	return done();
}
