/*
 * contain/cgroup1 and contain/cgroup2 on the kernel of this host: limits, usage, and that every
 * process of a task is killed. The file is built once for each plugin (PLUGIN). ARMADA_DRILL_ROUNDS
 * sets the number of rounds and their size.
 */
#include "task.h"

#include "tap/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, BOMB_PIDS = 64 };

static const struct armada_contain_limits plain = {.cpu_milli = 1000, .memory_bytes = 256 * MIB};

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

static int64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* ---- membership ---- */

static void stay(void)
{
	say('1');
	sleep_on();
}

static void test_enters(void)
{
	char path[64], text[4096] = "";
	struct task t;
	FILE *file;

	if (!ok(task_begin(&t, &plain, stay), "a task begins"))
		return;
	is_int(task_hear(&t), '1', "the task runs");
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)t.leader);
	file = fopen(path, "r");
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	has_str(text, t.name, "the task is in its group");
	ok(!task_is_dead(&t), "the task is alive");
	is_int(task_kill(&t), 1, "the process is killed");
	task_finish(&t);
}

/*
 * The first process ends at once. The other processes have no parent in the task, and a session of
 * their own.
 */
static void escape(void)
{
	pid_t between;

	for (int i = 0; i < 8; i++) {
		if (fork() > 0)
			continue;
		setsid();
		between = getpid();
		if (fork() > 0)
			_exit(0);
		/* the processes in between must have left the group before the count */
		while (getppid() == between)
			sched_yield();
		setsid();
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		say('e');
		sleep_on();
	}
}

static void test_escapes(void)
{
	struct armada_error err;
	struct task t;

	if (!ok(task_begin(&t, &plain, escape),
		"processes that fork twice, with sessions of their own and SIGTERM ignored"))
		return;
	for (int i = 0; i < 8; i++)
		task_hear(&t);
	ok(task_wait_leader(&t), "the first process ends");
	is_int(ops->signal(t.handle, SIGTERM, false, &err), 0, "SIGTERM is sent to all");
	ok(!task_is_dead(&t), "SIGTERM does not end the escaped processes");
	is_int(task_kill(&t), 8, "SIGKILL ends the escaped processes");
	task_finish(&t);
}

static void count_usr1(int sig)
{
	(void)sig;
	say('u');
}

static void listen_both(void)
{
	signal(SIGUSR1, count_usr1);
	if (fork() == 0) {
		say('c');
		sleep_on();
	}
	say('l');
	sleep_on();
}

static void test_signals(void)
{
	struct armada_error err;
	struct task t;

	if (!ok(task_begin(&t, &plain, listen_both), "two processes that handle SIGUSR1"))
		return;
	task_hear(&t);
	task_hear(&t);
	ops->signal(t.handle, SIGUSR1, true, &err);
	is_int(task_hear(&t), 'u', "the first process alone gets the signal");
	ops->signal(t.handle, SIGUSR1, false, &err);
	is_int(task_hear(&t), 'u', "both processes get the signal: one,");
	is_int(task_hear(&t), 'u', "and the other");
	ops->signal(t.handle, SIGTERM, false, &err);
	ok(task_dies(&t), "SIGTERM ends both processes");
	task_finish(&t);
}

/* Root can create groups below its own and move into them. */
static void hide(void)
{
	char line[1024], path[1200], *own = NULL;
	const char *v1 = ":freezer:", *v2 = "0::";
	FILE *file = fopen("/proc/self/cgroup", "r");
	bool first = strcmp(PLUGIN, "cgroup1") == 0;
	int fd;

	while (!own && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		own = strstr(line, first ? v1 : v2);
	}
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s%s/hidden", first ? "/freezer" : "",
		 own ? own + strlen(first ? v1 : v2) : "");
	say(mkdir(path, 0755) == 0 ? 'm' : 'x');
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/cgroup.procs");
	fd = open(path, O_WRONLY);
	say(fd >= 0 && write(fd, "0", 1) == 1 ? 'h' : 'x');
	sleep_on();
}

static void test_below(void)
{
	struct task t;

	if (!ok(task_begin(&t, &plain, hide), "a process that moves to a group of its own below"))
		return;
	is_int(task_hear(&t), 'm', "the group is created");
	is_int(task_hear(&t), 'h', "the group is entered");
	is_int(task_kill(&t), 1, "the process is found");
	task_finish(&t);
}

/* ---- number of processes ---- */

static void bomb(void)
{
	signal(SIGTERM, SIG_IGN);
	for (;;)
		if (fork() < 0)
			say('f');
}

static void test_bomb(void)
{
	struct armada_contain_limits limits = plain;
	struct armada_error err;
	struct task t;
	int count;

	limits.pids_max = BOMB_PIDS;
	if (!ok(task_begin(&t, &limits, bomb), "a fork bomb"))
		return;
	is_int(task_hear(&t), 'f', "reaches its limit");
	ops->signal(t.handle, SIGTERM, false, &err);
	/* the pipe fills up; a process that waits for it forks no more */
	count = task_kill(&t);
	ok(count > 1 && count <= BOMB_PIDS, "%d processes are killed", count);
	task_finish(&t);
}

static int64_t number_in(const char *path)
{
	FILE *f = fopen(path, "r");
	long long n = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%lld", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

/* The limit of the group that this process is in; -1 if it cannot be read. */
static int64_t own_limit(void)
{
	bool v1 = strcmp(PLUGIN, "cgroup1") == 0;
	const char *before = v1 ? ":pids:" : "0::";
	FILE *f = fopen("/proc/self/cgroup", "r");
	char line[1024], path[2048];
	int64_t limit = -1;

	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, before);

		if (!at || (!v1 && at != line))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s%s/pids.max", v1 ? "/pids" : "",
			 at + strlen(before));
		limit = number_in(path);
	}
	if (f)
		fclose(f);
	return limit;
}

static int64_t *told_limit; /* shared with the tasks */

static void tell_limit(void)
{
	*told_limit = own_limit();
	say('l');
	sleep_on();
}

static int64_t limit_of(int64_t cpu_milli)
{
	struct armada_contain_limits limits = plain;
	struct task t;

	limits.cpu_milli = cpu_milli;
	if (!ok(task_begin(&t, &limits, tell_limit), "a task with %.1f cpus",
		(double)cpu_milli / 1000))
		return -1;
	task_hear(&t);
	task_kill(&t);
	task_finish(&t);
	return *told_limit;
}

/* Tasks that fill a node cannot together use up the process numbers of the machine. */
static void test_shares(void)
{
	int64_t pids = number_in("/proc/sys/kernel/pid_max");
	int64_t threads = number_in("/proc/sys/kernel/threads-max");
	int64_t cpus = sysconf(_SC_NPROCESSORS_CONF), most = pids < threads ? pids : threads;
	int64_t one, all;

	told_limit = mmap(NULL, sizeof(*told_limit), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	one = limit_of(1000);
	if (one < 0) {
		skip("the limit of processes is not readable here");
	} else {
		all = limit_of(cpus * 1000);
		ok(one * cpus <= most / 4 * 3 || one == 512,
		   "%lld tasks of one cpu may have %lld processes each, of %lld", (long long)cpus,
		   (long long)one, (long long)most);
		ok(one * cpus > most / 2 || one == 512, "which is more than half in all");
		ok(all <= most / 4 * 3 && all > most / 2,
		   "a task with all cpus may have %lld of them", (long long)all);
		is_int(limit_of(1), 512, "a task with few cpus may have");
	}
	munmap(told_limit, sizeof(*told_limit));
}

/* All tasks together have a limit too, in a group that is made for them. */
static void test_limit_of_all(void)
{
	bool v1 = strcmp(PLUGIN, "cgroup1") == 0;
	struct armada_error err;
	char name[64], path[256];
	glob_t found = {0};
	int64_t limit;

	snprintf(name, sizeof(name), "armada-unit-%d", (int)getpid());
	/* as people write it; it is the group `name` of each hierarchy */
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", name);
	values[0].s = path;
	is_int(ops->probe(values, &err), 0, "a group for all tasks is made");
	values[0].s = "";
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%s/pids.max", v1 ? "pids/" : "", name);
	limit = number_in(path);
	if (limit < 0)
		skip("its limit of processes is not readable here");
	else
		ok(limit <= number_in("/proc/sys/kernel/pid_max") / 4 * 3,
		   "all tasks together may have %lld processes", (long long)limit);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", v1 ? "/*" : "", name);
	glob(path, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		rmdir(found.gl_pathv[i]);
	globfree(&found);
}

static int thread_count = 300;

static void *idle(void *arg)
{
	sleep_on();
	return arg;
}

static void many_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	for (int i = 0; i < thread_count; i++)
		if (pthread_create(&thread, &attr, idle, NULL) != 0)
			say('x');
	say('t');
	sleep_on();
}

static void test_threads(void)
{
	struct armada_contain_limits limits = plain;
	struct task t;

	limits.memory_bytes = 2048LL * MIB;
	if (!ok(task_begin(&t, &limits, many_threads), "%d threads", thread_count))
		return;
	is_int(task_hear(&t), 't', "all threads run");
	is_int(task_kill(&t), 1, "one process is killed");
	task_finish(&t);
}

/* ---- usage ---- */

static void touch(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; p != MAP_FAILED && i < bytes; i += 4096)
		p[i] = 1;
}

static void devour(void)
{
	touch(256 * MIB);
	say('x');
}

/* The first process lives on if the plugin permits it. */
static void child_devours(void)
{
	if (fork() == 0)
		devour();
	sleep_on();
}

static bool told_of_memory(const struct task *t)
{
	int fd = ops->watch ? ops->watch(t->handle) : -1;
	struct pollfd p = {.fd = fd, .events = POLLIN | POLLPRI};

	return fd < 0 || poll(&p, 1, 20000) == 1;
}

static bool sees_oom(const struct task *t)
{
	for (int i = 0; i < 2000; i++) {
		const struct timespec pause = {.tv_nsec = 5000000};

		if (task_usage(t).oom)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void test_memory(void)
{
	struct armada_contain_limits limits = plain;
	struct armada_contain_usage u;
	struct task t;

	limits.memory_bytes = 32 * MIB;
	if (!ok(task_begin(&t, &limits, devour), "a task that exceeds its memory limit"))
		return;
	ok(task_wait_leader(&t), "the task ends");
	ok(WIFSIGNALED(t.status) && WTERMSIG(t.status) == SIGKILL, "SIGKILL ends the task");
	u = task_usage(&t);
	ok(u.oom, "the usage reports oom");
	ok(u.max_rss_bytes > 24 * MIB && u.max_rss_bytes <= 33 * MIB, "the peak is reported: %lld",
	   (long long)u.max_rss_bytes);
	task_finish(&t);

	if (!ok(task_begin(&t, &limits, child_devours), "a task whose child exceeds the limit"))
		return;
	ok(told_of_memory(&t), "the shepherd is notified");
	ok(sees_oom(&t), "the usage reports oom to it");
	task_finish(&t);

	limits.memory_bytes = 128 * MIB;
	if (!ok(task_begin(&t, &limits, stay), "a task within its memory limit"))
		return;
	task_hear(&t);
	ok(!task_usage(&t).oom, "the usage reports no oom");
	task_finish(&t);
}

static void burn(void)
{
	while (cpu_us() < 60000)
		;
	say('b');
	sleep_on();
}

static void spin(void)
{
	int64_t from = now_us();

	while (now_us() - from < 500000)
		;
	say('s');
	sleep_on();
}

static void test_cpu(void)
{
	struct armada_contain_limits limits = plain;
	struct armada_contain_usage u;
	int64_t from;
	struct task t;

	if (!ok(task_begin(&t, &plain, burn), "a task that computes"))
		return;
	task_hear(&t);
	u = task_usage(&t);
	ok(u.user_us + u.system_us >= 10000,
	   "its parts in user mode and in the kernel, in ticks: %lld and %lld us",
	   (long long)u.user_us, (long long)u.system_us);
	ok(u.cpu_us >= 50000, "the processor time is counted: %lld us", (long long)u.cpu_us);
	task_finish(&t);

	limits.cpu_quota = true;
	limits.cpu_milli = 200;
	from = now_us();
	if (!ok(task_begin(&t, &limits, spin), "a task with a fifth of a cpu"))
		return;
	task_hear(&t);
	u = task_usage(&t);
	from = now_us() - from;
	ok(u.cpu_us <= from / 4 + 100000, "%lld us of %lld", (long long)u.cpu_us, (long long)from);
	task_finish(&t);
}

static char written_path[4096];

static void write_much(void)
{
	int fd = open(written_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	static char bytes[MIB];

	for (int i = 0; i < 4; i++)
		if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
			say('x');
	say(fsync(fd) == 0 ? 'w' : 'x');
}

static void test_written(void)
{
	const char *tmp = getenv("TMPDIR");
	struct statfs fs;
	struct task t;
	bool on_disk;

	snprintf(written_path, sizeof(written_path), "%s/armada-unit.%d", tmp ? tmp : "/tmp",
		 (int)getpid());
	if (!ok(task_begin(&t, &plain, write_much), "a task that writes"))
		return;
	is_int(task_hear(&t), 'w', "4M");
	task_wait_leader(&t);
	on_disk = statfs(written_path, &fs) == 0 && fs.f_type != TMPFS_MAGIC &&
		  fs.f_type != RAMFS_MAGIC && fs.f_type != OVERLAYFS_SUPER_MAGIC;
	unlink(written_path);
	if (on_disk)
		ok(task_usage(&t).written_bytes >= 4 * MIB, "the written bytes are counted: %lld",
		   (long long)task_usage(&t).written_bytes);
	else
		skip("%s is not on a disk", written_path);
	task_finish(&t);
}

/* ---- devices and cpus ---- */

static void open_devices(void)
{
	static const char *const paths[] = {"/dev/null", "/dev/urandom", "/dev/kmsg"};

	for (int i = 0; i < 3; i++)
		say(open(paths[i], O_RDONLY | O_NONBLOCK) >= 0 ? 'y' : errno == EPERM ? 'n' : 'x');
	sleep_on();
}

static void test_devices(void)
{
	static const struct armada_device kmsg = {.path = "/dev/kmsg", .major = 1, .minor = 11};
	struct armada_contain_limits limits = plain;
	struct task t;

	if (access("/dev/kmsg", R_OK) != 0) {
		skip("/dev/kmsg cannot be opened here");
		return;
	}
	for (int i = 0; i < 3; i++) {
		limits.devices_known = i > 0;
		limits.devices = &kmsg;
		limits.device_count = i == 2;
		if (!ok(task_begin(&t, &limits, open_devices), "devices, %s",
			i == 0   ? "with unknown assignment"
			: i == 1 ? "with none assigned"
				 : "with one assigned"))
			return;
		is_int(task_hear(&t), 'y', "/dev/null opens");
		is_int(task_hear(&t), 'y', "/dev/urandom opens");
		is_int(task_hear(&t), i == 1 ? 'n' : 'y', "/dev/kmsg opens only with permission");
		task_finish(&t);
	}
}

static void count_cpus(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	say((char)CPU_COUNT(&set));
	sleep_on();
}

static void test_cpus(void)
{
	struct armada_contain_limits limits = plain;
	struct task t;

	limits.cpus = "0";
	if (!ok(task_begin(&t, &limits, count_cpus), "a task on cpu 0"))
		return;
	is_int(task_hear(&t), 1, "the task has one cpu");
	task_finish(&t);
	limits.cpus = "9999";
	ok(!task_begin(&t, &limits, count_cpus), "an absent cpu is refused");
	is_int(task_groups(&t), 0, "the refused task leaves no group");
}

/* ---- the shepherd dies ---- */

static void test_reclaim(void)
{
	struct armada_error err;
	struct task t;
	int left = 1;

	if (!ok(task_begin(&t, &plain, escape), "a task whose shepherd dies"))
		return;
	for (int i = 0; i < 8; i++)
		task_hear(&t);
	task_wait_leader(&t);
	is_int(task_groups(&t), 1, "the group is found by its name");
	ok(ops->reclaim("armada-unit.0-none", values, &err) == 0,
	   "an absent name reclaims nothing");
	for (int i = 0; i < 2000 && left != 0; i++) {
		const struct timespec pause = {.tv_nsec = 5000000};

		left = ops->reclaim(t.name, values, &err);
		if (left < 0)
			diag("%s", err.text);
		if (left)
			nanosleep(&pause, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	is_int(left, 0, "all processes of the group are killed");
	ok(task_dies(&t), "no process is alive");
	is_int(task_groups(&t), 0, "the group is removed");
	ops->finish(t.handle);
}

/*
 * An armd died after it created the group and before it forked: the next one creates the group
 * again.
 */
static void test_twice(void)
{
	struct armada_error err;
	void *one, *two;
	char name[64];

	snprintf(name, sizeof(name), "armada-unit.%d-twice", (int)getpid());
	is_int(ops->prepare(&one, name, &plain, values, &err), 0, "a group is created");
	is_int(ops->prepare(&two, name, &plain, values, &err), 0, "the group is created again");
	ops->finish(two);
	ops->finish(one);
}

static void (*const tests[])(void) = {
	test_enters,  test_escapes, test_signals, test_below,   test_bomb,
	test_threads, test_memory,  test_cpu,     test_written, test_devices,
	test_cpus,    test_reclaim, test_twice,   test_shares,  test_limit_of_all,
};

int main(void)
{
	const char *rounds = getenv("ARMADA_DRILL_ROUNDS");
	int count = rounds ? atoi(rounds) : 1;

	if (!task_load(PLUGIN))
		return done();
	if (rounds)
		thread_count = 10000;
	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(tests) / sizeof(tests[0]); k++)
			tests[k]();
	return done();
}
