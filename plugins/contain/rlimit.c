/*
 * contain/rlimit: containment for machines without cgroups.
 *
 * In: the limits of a task, signals. Out: its processes, signalled or killed, and their usage. The processes
 * are the descendants of its shepherd, which is a child subreaper. A process that forks twice, or starts a
 * session, becomes a child of the shepherd and is still found. The usage is the kernel's sum for reaped
 * children. Memory is limited for each process alone, and only with the option address_space: many programs
 * reserve far more address space than they use. Limits of cpu are not enforced.
 */
#include <armada/contain.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPTION_ADDRESS_SPACE = 0, KILL_PASSES = 64 };

static const struct armada_option options[] = {
	{
		.name = "address_space",
		.type = ARMADA_OPTION_BOOL,
		.def = "false",
		.help = "Limit the address space of each process of a task to the task's memory. "
			"Programs that reserve much and use little (Java, Go, CUDA) then fail.",
	},
	ARMADA_CONTAIN_REQUIRE,
};

struct handle {
	pid_t shepherd, leader;
	rlim_t address_space; /* RLIM_INFINITY: no limit */
};

struct process {
	pid_t pid, parent;
	unsigned long long born; /* start time; with the pid it identifies a process for ever */
	bool dead, ours;
};

struct processes {
	struct process *list;
	size_t count, cap;
};

static int fail(struct armada_error *err, int code, const char *what)
{
	snprintf(err->text, sizeof(err->text), "contain/rlimit: %s: %s", what, strerror(-code));
	return code;
}

/* Fields 3, 4 and 22 of /proc/PID/stat. The name before them may contain any character. */
static bool read_process(int proc, pid_t pid, struct process *ret)
{
	char path[32], text[1024], state, *p;
	int ppid, fd;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1,
			 " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d"
			 " %*d %*d %llu",
			 &state, &ppid, &ret->born) != 3)
		return false;
	ret->pid = pid;
	ret->parent = ppid;
	ret->dead = state == 'Z' || state == 'X';
	ret->ours = false;
	return true;
}

static int add_process(struct processes *all, const struct process *p)
{
	if (all->count == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 256;
		struct process *list = reallocarray(all->list, cap, sizeof(*list));

		if (!list)
			return -ENOMEM;
		all->list = list;
		all->cap = cap;
	}
	all->list[all->count++] = *p;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	return ((const struct process *)a)->pid - ((const struct process *)b)->pid;
}

static bool is_ours(const struct processes *all, pid_t pid)
{
	struct process key = {.pid = pid}, *p;

	if (all->count == 0)
		return false;
	p = bsearch(&key, all->list, all->count, sizeof(key), by_pid);
	return p && p->ours;
}

/* A child usually has a greater pid than its parent, so one pass finds nearly all. */
static void mark_descendants(struct processes *all, pid_t root)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < all->count; i++) {
			struct process *p = &all->list[i];

			if (p->ours || (p->parent != root && !is_ours(all, p->parent)))
				continue;
			p->ours = more = true;
		}
	}
}

static int read_all(int proc, struct processes *ret_all)
{
	struct process p;
	struct dirent *de;
	int rc = 0, fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		return -errno;
	while (rc == 0 && (de = readdir(dir))) {
		int pid = atoi(de->d_name);

		if (pid > 0 && read_process(proc, pid, &p))
			rc = add_process(ret_all, &p);
	}
	closedir(dir);
	if (ret_all->count)
		qsort(ret_all->list, ret_all->count, sizeof(*ret_all->list), by_pid);
	return rc;
}

/* Open a pidfd, then compare the start time again: the pid may have been reused meanwhile. */
static void signal_one(int proc, const struct process *p, int sig)
{
	struct process now;
	int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);

	if (fd < 0)
		return;
	if (read_process(proc, p->pid, &now) && now.born == p->born)
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	close(fd);
}

/* One pass over all descendants. Returns the number that were alive, or a negative errno. */
static int signal_all(const struct handle *h, int sig, struct armada_error *err)
{
	struct processes all = {0};
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = proc < 0 ? -errno : read_all(proc, &all), alive = 0;

	if (rc == 0)
		mark_descendants(&all, h->shepherd);
	for (size_t i = 0; rc == 0 && i < all.count; i++) {
		if (!all.list[i].ours || all.list[i].dead)
			continue;
		signal_one(proc, &all.list[i], sig);
		alive++;
	}
	free(all.list);
	if (proc >= 0)
		close(proc);
	return rc < 0 ? fail(err, rc, "cannot read /proc") : alive;
}

static int rlimit_probe(const struct armada_option_value *values, struct armada_error *err)
{
	struct process p;
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = proc >= 0 && read_process(proc, getpid(), &p);

	(void)values;
	if (proc >= 0)
		close(proc);
	return good ? 0 : fail(err, -ENOSYS, "/proc is missing or hides our own processes");
}

static int rlimit_prepare(void **ret_handle, const char *name,
			  const struct armada_contain_limits *limits,
			  const struct armada_option_value *values, struct armada_error *err)
{
	struct handle *h = calloc(1, sizeof(*h));

	(void)name;
	if (!h)
		return fail(err, -ENOMEM, "prepare");
	h->shepherd = getpid();
	h->address_space = RLIM_INFINITY;
	if (values[OPTION_ADDRESS_SPACE].i && limits->memory_bytes > 0)
		h->address_space = (rlim_t)limits->memory_bytes;
	*ret_handle = h;
	return 0;
}

static int rlimit_enter(void *handle, struct armada_error *err)
{
	const struct handle *h = handle;
	struct rlimit limit = {.rlim_cur = h->address_space, .rlim_max = h->address_space};

	if (h->address_space != RLIM_INFINITY && setrlimit(RLIMIT_AS, &limit) < 0)
		return fail(err, -errno, "cannot limit the address space");
	return 0;
}

static int rlimit_started(void *handle, pid_t pid, struct armada_error *err)
{
	struct handle *h = handle;

	(void)err;
	h->leader = pid;
	return 0;
}

/* The leader is a child of the shepherd, so its pid cannot be reused before the shepherd reaps it. */
static int rlimit_signal(void *handle, int sig, bool leader_only, struct armada_error *err)
{
	const struct handle *h = handle;

	if (!leader_only)
		return signal_all(h, sig, err) < 0 ? -EIO : 0;
	return kill(h->leader, sig) < 0 ? fail(err, -errno, "cannot signal the task") : 0;
}

/* Processes may fork during a pass; the next pass finds their children. */
static int rlimit_kill(void *handle, struct armada_error *err)
{
	int first = signal_all(handle, SIGKILL, err), left = first;

	for (int pass = 1; pass < KILL_PASSES && left > 0; pass++)
		left = signal_all(handle, SIGKILL, err);
	return first;
}

static int rlimit_usage(void *handle, struct armada_contain_usage *ret_usage,
			struct armada_error *err)
{
	struct rusage u;

	(void)handle;
	if (getrusage(RUSAGE_CHILDREN, &u) < 0)
		return fail(err, -errno, "getrusage");
	*ret_usage = (struct armada_contain_usage){
		.cpu_us = ((int64_t)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
			  u.ru_utime.tv_usec + u.ru_stime.tv_usec,
		.max_rss_bytes = (int64_t)u.ru_maxrss * 1024,
		.read_bytes = (int64_t)u.ru_inblock * 512,
		.written_bytes = (int64_t)u.ru_oublock * 512,
	};
	return 0;
}

static void rlimit_finish(void *handle)
{
	free(handle);
}

/* A limit of each process alone is no limit of the task. */
static uint32_t rlimit_contains(const struct armada_option_value *values)
{
	(void)values;
	return 0;
}

static const struct armada_contain_ops ops = {
	.probe = rlimit_probe,
	.prepare = rlimit_prepare,
	.enter = rlimit_enter,
	.started = rlimit_started,
	.signal = rlimit_signal,
	.kill = rlimit_kill,
	.usage = rlimit_usage,
	.finish = rlimit_finish,
	.contains = rlimit_contains,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_CONTAIN, "rlimit",
	      "child subreaper and resource limits, for machines without cgroups", options, ops);
