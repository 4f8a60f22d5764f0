/*
 * Loads a contain plugin and runs processes in a group that it makes. A pipe whose write end
 * every process inherits reports when all of them have ended. The options of the plugin are in a
 * table by plugin.
 */
#include "task.h"

#include "tap/tap.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000, PAUSE_MS = 5 };

const struct armada_contain_ops *ops;

/* In the order of the cgroup plugins' table. */
struct armada_option_value values[] = {
	{.s = ""}, /* root */
	{.i = 0},  /* memory_min */
	{.i = 0},  /* pids_max */
	{.i = 1},  /* device_filter */
	{.i = 0},  /* devices */
	{.s = ""}, /* require */
};

static void pause_ms(int ms)
{
	const struct timespec t = {.tv_nsec = (long)ms * 1000000};

	nanosleep(&t, NULL);
}

bool task_load(const char *plugin)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	const struct armada_plugin *p;
	struct armada_error err = {{0}};
	char path[4096];
	void *dl;

	snprintf(path, sizeof(path), "%s/plugins/contain/contain_%s.so", build ? build : ".",
		 plugin);
	dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	p = dl ? dlsym(dl, ARMADA_PLUGIN_SYMBOL) : NULL;
	if (!p)
		bail("cannot load %s: %s", path, dlerror());
	ops = p->ops;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (ops->probe(values, &err) < 0) {
		skip("%s", err.text);
		return false;
	}
	diag("%s works here%s%s", plugin, err.text[0] ? ", " : "", err.text);
	return true;
}

static _Noreturn void be_leader(struct task *t, int said, void (*leader)(void))
{
	struct armada_error err;

	dup2(said, SAID);
	close(said);
	if (ops->enter(t->handle, &err) < 0) {
		diag("%s", err.text);
		_exit(99);
	}
	leader();
	_exit(0);
}

bool task_begin(struct task *t, const struct armada_contain_limits *limits, void (*leader)(void))
{
	static int number;
	struct armada_error err;
	int alive[2], said[2];

	*t = (struct task){.alive = -1, .said = -1};
	snprintf(t->name, sizeof(t->name), "armada-unit.%d-%d", (int)getpid(), number++);
	if (ops->prepare(&t->handle, t->name, limits, values, &err) < 0) {
		diag("%s", err.text);
		return false;
	}
	if (pipe2(alive, O_CLOEXEC) < 0 || pipe2(said, O_CLOEXEC) < 0)
		bail("pipe: %s", strerror(errno));
	t->leader = fork();
	if (t->leader == 0)
		be_leader(t, said[1], leader);
	close(alive[1]);
	close(said[1]);
	t->alive = alive[0];
	t->said = said[0];
	ops->started(t->handle, t->leader, &err);
	return true;
}

static void reap(struct task *t)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == t->leader) {
			t->status = status;
			t->reaped = true;
		}
}

bool task_wait_leader(struct task *t)
{
	for (int ms = 0; !t->reaped && ms < PATIENCE_MS; ms += PAUSE_MS) {
		reap(t);
		if (!t->reaped)
			pause_ms(PAUSE_MS);
	}
	return t->reaped;
}

int task_hear(struct task *t)
{
	struct pollfd fd = {.fd = t->said, .events = POLLIN};
	unsigned char byte;

	return poll(&fd, 1, PATIENCE_MS) == 1 && read(t->said, &byte, 1) == 1 ? byte : -1;
}

static bool dead_within(const struct task *t, int ms)
{
	struct pollfd fd = {.fd = t->alive, .events = POLLIN};

	return poll(&fd, 1, ms) == 1 && (fd.revents & POLLHUP);
}

bool task_is_dead(const struct task *t)
{
	return dead_within(t, 0);
}

bool task_dies(const struct task *t)
{
	return dead_within(t, PATIENCE_MS);
}

int task_kill(struct task *t)
{
	struct armada_error err;
	int first = ops->kill(t->handle, &err), left = first;

	for (int ms = 0; left != 0 && ms < PATIENCE_MS; ms += PAUSE_MS) {
		reap(t);
		pause_ms(PAUSE_MS);
		left = ops->kill(t->handle, &err);
	}
	reap(t);
	return left == 0 ? first : -1;
}

static void count_one(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

int task_groups(const struct task *t)
{
	struct armada_error err;
	int count = 0;

	if (ops->find(t->name, values, count_one, &count, &err) < 0)
		bail("%s", err.text);
	return count;
}

void task_finish(struct task *t)
{
	ok(task_kill(t) >= 0, "no process of the task is left");
	ok(task_dies(t), "no process has its pipe open");
	ops->finish(t->handle);
	is_int(task_groups(t), 0, "its group is removed");
	close(t->alive);
	close(t->said);
}

struct armada_contain_usage task_usage(const struct task *t)
{
	struct armada_contain_usage u = {0};
	struct armada_error err;

	if (ops->usage(t->handle, &u, &err) < 0)
		bail("%s", err.text);
	return u;
}
