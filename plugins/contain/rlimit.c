/*
 * contain/rlimit: containment for machines without cgroups.
 *
 * In: the limits of a task, signals. Out: its processes, signalled or killed, and their usage. The
 * processes are the descendants of its shepherd, which is a child subreaper. A process that forks twice,
 * or starts a session, becomes a child of the shepherd and is still found. The usage is the kernel's sum
 * for reaped children, and what /proc has of those that run. Memory is limited for each process alone,
 * and only with the option address_space: many programs reserve far more address space than they use.
 * Limits of cpu are not enforced.
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

/* Bounds of one sample of usage. */
enum { SAMPLE_PROCESSES = 4096, SAMPLE_THREADS = 4096, STATUS_TEXT = 4096 };

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

/* Figures that never fall, although the kernel forgets children that are not waited for. */
struct used {
	int64_t user_us, system_us, read_bytes, written_bytes;
};

struct handle {
	pid_t shepherd, leader;
	rlim_t address_space; /* RLIM_INFINITY: no limit */
	/* the most of one sample: memory of all processes together; files that one process maps */
	int64_t memory, mapped;
	struct used used; /* the most that was reported */
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

/* What the processes that run have used. */
struct sample {
	pid_t list
		[SAMPLE_PROCESSES]; /* those that were found; the first `done` of them were read */
	int count, done, threads;
	int64_t memory, mapped, user_ticks, kernel_ticks;
	int64_t read_bytes, written_bytes;
};

static bool read_text(const char *path, char *ret_text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret_text, size - 1);

	if (fd >= 0)
		close(fd);
	ret_text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/*
 * The children that each thread of the process has forked. Kernels without these files have no samples.
 */
static void add_children(struct sample *s, pid_t pid)
{
	char path[320], text[STATUS_TEXT], *end;
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (de = readdir(dir)) && s->threads < SAMPLE_THREADS) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, de->d_name);
		if (de->d_name[0] == '.' || !read_text(path, text, sizeof(text)))
			continue;
		s->threads++;
		for (char *p = text; s->count < SAMPLE_PROCESSES; p = end) {
			long child = strtol(p, &end, 10);

			if (end == p)
				break;
			s->list[s->count++] = (pid_t)child;
		}
	}
	if (dir)
		closedir(dir);
}

/* The line "RssAnon:    123 kB" in bytes; 0: it is missing. */
static int64_t status_bytes(const char *text, const char *word)
{
	const char *line = strstr(text, word);

	return line ? strtoll(line + strlen(word), NULL, 10) * 1024 : 0;
}

static int64_t io_bytes(const char *text, const char *word)
{
	const char *line = strstr(text, word);

	return line ? strtoll(line + strlen(word), NULL, 10) : 0;
}

static void add_process_usage(struct sample *s, pid_t pid)
{
	char path[64], text[STATUS_TEXT], *p;
	long long user, kernel, user_of_dead, kernel_of_dead;
	int64_t mapped;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (read_text(path, text, sizeof(text))) {
		s->memory += status_bytes(text, "\nRssAnon:") + status_bytes(text, "\nRssShmem:");
		mapped = status_bytes(text, "\nRssFile:");
		if (mapped > s->mapped)
			s->mapped = mapped;
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	p = read_text(path, text, sizeof(text)) ? strrchr(text, ')') : NULL;
	if (p && sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld",
			&user, &kernel, &user_of_dead, &kernel_of_dead) == 4) {
		s->user_ticks += user + user_of_dead;
		s->kernel_ticks += kernel + kernel_of_dead;
	}
	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	if (read_text(path, text, sizeof(text))) {
		s->read_bytes += io_bytes(text, "\nread_bytes:");
		s->written_bytes += io_bytes(text, "\nwrite_bytes:");
	}
}

static void take_sample(struct handle *h, struct sample *s)
{
	s->count = s->done = s->threads = 0;
	s->memory = s->mapped = s->user_ticks = s->kernel_ticks = 0;
	s->read_bytes = s->written_bytes = 0;
	add_children(s, h->shepherd);
	for (; s->done < s->count; s->done++) {
		add_process_usage(s, s->list[s->done]);
		add_children(s, s->list[s->done]);
	}
	if (s->memory > h->memory)
		h->memory = s->memory;
	if (s->mapped > h->mapped)
		h->mapped = s->mapped;
}

static int64_t time_us(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

static void at_least(int64_t *value, int64_t least)
{
	if (*value < least)
		*value = least;
}

/*
 * The peak of the largest ended process contains the files that it mapped. As far as a sample has seen
 * such files they are subtracted.
 */
static int rlimit_usage(void *handle, struct armada_contain_usage *ret_usage,
			struct armada_error *err)
{
	static struct sample sample; /* the shepherd has one thread */
	struct handle *h = handle;
	struct used *used = &h->used;
	int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK), largest;
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u) < 0)
		return fail(err, -errno, "getrusage");
	take_sample(h, &sample);
	largest = (int64_t)u.ru_maxrss * 1024 - h->mapped;
	at_least(&used->user_us, time_us(&u.ru_utime) + sample.user_ticks * tick_us);
	at_least(&used->system_us, time_us(&u.ru_stime) + sample.kernel_ticks * tick_us);
	at_least(&used->read_bytes, (int64_t)u.ru_inblock * 512 + sample.read_bytes);
	at_least(&used->written_bytes, (int64_t)u.ru_oublock * 512 + sample.written_bytes);
	*ret_usage = (struct armada_contain_usage){
		.cpu_us = used->user_us + used->system_us,
		.max_rss_bytes = h->memory > largest ? h->memory : largest,
		.read_bytes = used->read_bytes,
		.written_bytes = used->written_bytes,
		.user_us = used->user_us,
		.system_us = used->system_us,
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
