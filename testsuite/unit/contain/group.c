/*
 * Several tasks in one group, with contain/cgroup1 and contain/cgroup2 on the kernel of this host:
 * one of them gets the limits of all, all together never use more, and the group goes with its last
 * task. The file is built once for each plugin (PLUGIN).
 */
#include "task.h"

#include "tap/tap.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, MAKERS = 4, ROUNDS = 100 };

static struct armada_contain_limits of_one, of_two;
static char group[96];

/* What the processes of tasks are to do; shared with them. */
static struct wish {
	volatile int first_mib, second_mib;
	volatile bool look;
} * wish;

static void pause_ms(int ms)
{
	const struct timespec t = {.tv_nsec = (long)ms * 1000000};

	nanosleep(&t, NULL);
}

static void say(char byte)
{
	if (write(SAID, &byte, 1) != 1)
		_exit(98);
}

/* The number of directories of the group, in all hierarchies. */
static size_t directories(void)
{
	static const char *const places[] = {"", "*/", "*/*/", "*/*/*/"};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char pattern[256];
		glob_t found = {0};

		snprintf(pattern, sizeof(pattern), "/sys/fs/cgroup/%s%s", places[i], group);
		glob(pattern, GLOB_NOSORT, NULL, &found);
		count += found.gl_pathc;
		globfree(&found);
	}
	return count;
}

/* Takes memory when it is told to, and says how much it has at last. */
static void take(volatile int *mib)
{
	for (int have = 0;;) {
		while (have == *mib)
			pause_ms(2);
		for (; have < *mib; have++) {
			char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			if (p == MAP_FAILED)
				_exit(97);
			memset(p, have + 1, MIB);
		}
		say((char)have);
	}
}

static void first(void)
{
	take(&wish->first_mib);
}

static void second(void)
{
	take(&wish->second_mib);
}

static bool update(struct task *t, const struct armada_contain_limits *limits)
{
	struct armada_error err = {{0}};
	int rc = ops->update(t->handle, limits, values, &err);

	if (rc < 0)
		diag("%s", err.text);
	return rc == 0;
}

static bool one_runs_out(const struct task *a, const struct task *b)
{
	for (int ms = 0; ms < 20000; ms += 5) {
		if (task_usage(a).oom || task_usage(b).oom)
			return true;
		pause_ms(5);
	}
	return false;
}

/* The first task may use what both asked for, the second its own part, both together the sum. */
static void test_memory(void)
{
	struct task a, b;

	memset((void *)wish, 0, sizeof(*wish));
	if (!ok(task_begin(&a, &of_one, first) && task_begin(&b, &of_one, second),
		"two tasks in one group"))
		return;
	ok(directories() > 0, "the group exists");
	ok(update(&a, &of_two), "the first task gets the limits of both");
	wish->first_mib = 90;
	is_int(task_hear(&a), 90, "it uses more than its own part");
	ok(!task_usage(&a).oom, "which is allowed");
	wish->second_mib = 56;
	ok(one_runs_out(&a, &b),
	   "together with what the second uses of its part, that is too much");
	task_finish(&b);
	ok(directories() > 0, "the group stays with the first task");
	task_finish(&a);
	is_int((long)directories(), 0, "the group goes with its last task");

	memset((void *)wish, 0, sizeof(*wish));
	if (!ok(task_begin(&a, &of_one, first) && task_begin(&b, &of_one, second),
		"two other tasks in the group"))
		return;
	ok(update(&a, &of_two), "the first task gets the limits of both");
	wish->second_mib = 72;
	is_int(task_hear(&b), -1, "the second task keeps its own limit");
	ok(task_usage(&b).oom, "it ran out of memory");
	wish->first_mib = 100;
	is_int(task_hear(&a), 100, "the first task is not harmed");
	ok(!task_usage(&a).oom, "and did not run out of memory");
	task_finish(&a);
	task_finish(&b);
	is_int((long)directories(), 0, "the group goes with its last task");
}

static void look(void)
{
	while (!wish->look)
		pause_ms(2);
	say(open("/dev/kmsg", O_RDONLY | O_NONBLOCK) >= 0 ? 'y' : 'n');
	pause();
}

/* The first task may open the devices of both. */
static void test_devices(void)
{
	static const struct armada_device kmsg = {.path = "/dev/kmsg", .major = 1, .minor = 11};
	struct armada_contain_limits none = of_one, both = of_two;
	struct task a;

	if (access("/dev/kmsg", R_OK) != 0) {
		skip("/dev/kmsg cannot be opened here");
		return;
	}
	none.devices_known = both.devices_known = true;
	both.devices = &kmsg;
	both.device_count = 1;
	for (int i = 0; i < 2; i++) {
		memset((void *)wish, 0, sizeof(*wish));
		if (!ok(task_begin(&a, &none, look), "a task without the device"))
			return;
		if (i)
			ok(update(&a, &both), "the task gets the devices of both");
		wish->look = true;
		is_int(task_hear(&a), i ? 'y' : 'n', i ? "it opens the device" : "it is refused");
		task_finish(&a);
	}
}

/* The name of a task of the group, for a process of its own. */
static void task_name(char *ret, size_t size, int number)
{
	snprintf(ret, size, "%s%d", group + strlen(ARMADA_CONTAIN_GROUP), 1000000 + number);
}

static _Noreturn void make_and_remove(int number)
{
	struct armada_error err;
	char name[128];
	void *handle;

	task_name(name, sizeof(name), number);
	for (int i = 0; i < ROUNDS; i++) {
		if (ops->prepare(&handle, name, &of_one, values, &err) < 0) {
			diag("%s", err.text);
			_exit(1);
		}
		ops->finish(handle);
	}
	_exit(0);
}

/* Each of several shepherds may remove the group while another makes its task's group in it. */
static void test_race(void)
{
	pid_t pids[MAKERS];
	int bad = 0;

	for (int i = 0; i < MAKERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			make_and_remove(i);
	}
	for (int i = 0; i < MAKERS; i++) {
		int status = -1;

		waitpid(pids[i], &status, 0);
		bad += status != 0;
	}
	is_int(bad, 0, "%d processes make and remove tasks in one group", MAKERS);
	is_int((long)directories(), 0, "the group is gone");
}

/* Shepherds die, and leave the groups of their tasks, or an empty group. */
static void test_reclaim(void)
{
	struct armada_error err;
	void *handles[2];
	char names[2][128];

	for (int i = 0; i < 2; i++) {
		task_name(names[i], sizeof(names[i]), i);
		is_int(ops->prepare(&handles[i], names[i], &of_one, values, &err), 0,
		       "a task is left");
	}
	is_int(ops->reclaim(names[0], values, &err), 0, "the first is removed");
	ok(directories() > 0, "the group of both stays");
	is_int(ops->reclaim(names[1], values, &err), 0, "the second is removed");
	is_int((long)directories(), 0, "and the group with it");
	for (int i = 0; i < 2; i++)
		ops->finish(handles[i]);
}

static void test_empty(void)
{
	struct task t = {.handle = NULL};
	char path[256];

	if (strcmp(PLUGIN, "cgroup1") != 0 || access("/sys/fs/cgroup/freezer", W_OK) != 0) {
		skip("only the freezer of cgroup v1 has a known place");
		return;
	}
	snprintf(path, sizeof(path), "/sys/fs/cgroup/freezer/%s", group);
	is_int(mkdir(path, 0755), 0, "a group without a task is left");
	snprintf(t.name, sizeof(t.name), "%s", group + strlen(ARMADA_CONTAIN_GROUP));
	is_int(task_groups(&t), 0, "it is not reported as a task");
	is_int((long)directories(), 0, "and is removed");
}

int main(void)
{
	static void (*const tests[])(void) = {
		test_memory, test_devices, test_race, test_reclaim, test_empty,
	};

	wish = mmap(NULL, sizeof(*wish), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!task_load(PLUGIN))
		return done();
	snprintf(group, sizeof(group), ARMADA_CONTAIN_GROUP "armada-unit.%d-", (int)getpid());
	of_one = (struct armada_contain_limits){
		.cpu_milli = 1000, .memory_bytes = 64 * MIB, .group = group};
	of_two = (struct armada_contain_limits){
		.cpu_milli = 2000, .memory_bytes = 128 * MIB, .tasks = 2};
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tests[i]();
	return done();
}
