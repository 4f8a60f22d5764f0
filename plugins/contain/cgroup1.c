/*
 * contain/cgroup1: one group for each task in every hierarchy of cgroup v1.
 *
 * In: the name and the limits of a task. Out: its processes, signalled, counted or killed, and their usage.
 * A child enters the freezer first and leaves no group before the task's end. So the freezer holds every
 * process of the task from its first instruction on, including all processes that it forks. Signals are
 * sent while the processes are frozen: then no process can fork while the list is read, so none is missed,
 * and no pid is reused. The groups are made below the launcher's own group, or below the group of the
 * option root. The controllers freezer and memory are required; the others are used if they are mounted.
 */
#include "cgroup1.h"
#include "cgroup1_set.h"
#include "cgroup1_usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREEZE_PASSES = 50 };

static const struct armada_option options[] = {
	CGROUP_OPTIONS(
		"Make the groups of tasks below this group of each hierarchy, such as "
		"\"/armada\" or \"/sys/fs/cgroup/armada\". Otherwise they are made below armd's own group."),
};

struct controller {
	const char *name;
	bool needed;
	/* Set the task's limit in its group. 0 or a negative errno; NULL: the controller has no limit. */
	int (*set)(int dir, const struct armada_contain_limits *limits,
		   const struct armada_option_value *values);
};

static const struct controller controllers[CONTROLLERS] = {
	/* the first, so that every process in another group is also in this one */
	[FREEZER] = {"freezer", true, NULL},
	[MEMORY] = {"memory", true, cgroup1_set_memory},
	[CPUSET] = {"cpuset", false, cgroup1_set_cpuset},
	[CPU] = {"cpu", false, cgroup1_set_cpu},
	[PIDS] = {"pids", false, cgroup1_set_pids},
	[DEVICES] = {"devices", false, cgroup1_set_devices},
	[CPUACCT] = {"cpuacct", false, NULL},
	[BLKIO] = {"blkio", false, NULL},
};

static int fail(struct armada_error *err, int code, const char *what)
{
	return cgroup_fail(err, code, "cgroup1", "%s: %s", what, strerror(-code));
}

static int fail_at(struct armada_error *err, int code, int i, const char *what)
{
	return cgroup_fail(err, code, "cgroup1", "%s: %s: %s", controllers[i].name, what,
			   strerror(-code));
}

/* ---- the parents of our groups ---- */

/* Open the group of that name below dir; make it if it does not exist. A descriptor or a negative errno. */
static int open_level(int i, int dir, const char *name, const struct armada_option_value *values)
{
	const struct armada_contain_limits none = {0};
	int fd = cgroup_open(dir, "%s", name), rc;

	if (fd != -ENOENT)
		return fd;
	fd = cgroup_join(dir, name);
	if (fd < 0 || i != CPUSET)
		return fd;
	rc = cgroup1_set_cpuset(fd, &none, values);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

/* Every level of the option root. */
static int open_root(int i, const char *mount, const char *root,
		     const struct armada_option_value *values)
{
	char rest[CGROUP_PATH], *save = NULL;
	int fd = cgroup_open(AT_FDCWD, "%s", mount);

	if (snprintf(rest, sizeof(rest), "%s", root) >= (int)sizeof(rest))
		rest[0] = '\0'; /* cgroup_check_root() has refused it */
	for (char *name = strtok_r(rest, "/", &save); name && fd >= 0;
	     name = strtok_r(NULL, "/", &save)) {
		int next = open_level(i, fd, name, values);

		close(fd);
		fd = next;
	}
	return fd;
}

/* A descriptor of the group below which the groups of tasks are made, or a negative errno. */
static int open_parent(int i, const struct armada_option_value *values)
{
	const char *root = values[CGROUP_ROOT].s;
	struct cgroup_place place;
	int rc = cgroup_place(controllers[i].name, &place), fd;

	if (rc < 0)
		return rc;
	if (!*root)
		return cgroup_open(AT_FDCWD, "%s%s", place.mount, place.own);
	root = cgroup_root(&place, root);
	fd = cgroup_open(AT_FDCWD, "%s/%s", place.mount, root);
	return fd == -ENOENT ? open_root(i, place.mount, root, values) : fd;
}

static bool same_hierarchy(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev;
}

/* Descriptors of the parents; -1: not mounted, or mounted together with an earlier one (cpu,cpuacct). */
static int open_parents(int ret_fds[CONTROLLERS], int ret_with[CONTROLLERS],
			const struct armada_option_value *values, struct armada_error *err)
{
	for (int i = 0; i < CONTROLLERS; i++) {
		ret_with[i] = i;
		ret_fds[i] = open_parent(i, values);
		if (ret_fds[i] < 0 && (controllers[i].needed || ret_fds[i] != -ENOENT))
			return fail_at(err, ret_fds[i], i,
				       ret_fds[i] == -ENOENT ? "no such cgroup v1 hierarchy"
							     : "its groups cannot be opened");
		for (int k = 0; k < i && ret_fds[i] >= 0; k++) {
			if (ret_fds[k] < 0 || !same_hierarchy(ret_fds[k], ret_fds[i]))
				continue;
			close(ret_fds[i]);
			ret_fds[i] = -1;
			ret_with[i] = k;
		}
	}
	return 0;
}

static void close_all(int fds[CONTROLLERS])
{
	for (int i = 0; i < CONTROLLERS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static void no_fds(int fds[CONTROLLERS])
{
	for (int i = 0; i < CONTROLLERS; i++)
		fds[i] = -1;
}

/* ---- the groups of a task ---- */

/* A new group has empty lists of cpus, which its tasks' groups could not copy. */
static int prepare_group(const struct handle *h, int i, int dir,
			 const struct armada_option_value *values)
{
	static const struct armada_contain_limits none;

	if (h->with[MEMORY] == i) /* always so from Linux 5.11 on */
		cgroup_write(dir, "memory.use_hierarchy", "1");
	return h->with[CPUSET] == i ? cgroup1_set_cpuset(dir, &none, values) : 0;
}

/* Make the task's group in one hierarchy, in the group of several tasks if there is one. */
static int make_group(struct handle *h, int i, const struct armada_option_value *values)
{
	int tries = 0, rc;

	if (!h->group[0])
		return cgroup_make(h->parent[i], h->name);
	do {
		int dir = cgroup_join(h->parent[i], h->group);

		rc = dir < 0 ? dir : prepare_group(h, i, dir, values);
		if (rc == 0)
			rc = cgroup_make(dir, h->name);
		if (rc >= 0) {
			close(h->parent[i]);
			h->parent[i] = dir;
		} else if (dir >= 0) {
			cgroup_leave(dir, h->group);
			close(dir);
		}
	} while (cgroup_gone(rc, &tries));
	return rc;
}

static int make_groups(struct handle *h, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values, struct armada_error *err)
{
	for (int i = 0; i < CONTROLLERS; i++) {
		int with = h->with[i], rc;

		if (h->parent[i] >= 0)
			h->dir[i] = make_group(h, i, values);
		if (h->dir[i] < 0 && h->parent[i] >= 0)
			return fail_at(err, h->dir[i], i, "the task's group cannot be made");
		if (h->dir[with] < 0 || !controllers[i].set)
			continue;
		rc = controllers[i].set(h->dir[with], limits, values);
		if (rc < 0)
			return fail_at(err, rc, i, "the task's limit cannot be set");
	}
	return 0;
}

static void remove_groups(struct handle *h)
{
	/* the freezer last: find searches the freezer only */
	for (int i = CONTROLLERS - 1; i >= 0; i--) {
		if (h->parent[i] < 0 || h->dir[i] < 0)
			continue;
		cgroup_remove(h->parent[i], h->name);
		if (h->group[0])
			cgroup_leave(h->parent[i], h->group);
	}
}

static void free_handle(struct handle *h)
{
	close_all(h->parent);
	close_all(h->dir);
	if (h->event >= 0)
		close(h->event);
	if (h->oom_control >= 0)
		close(h->oom_control);
	free(h);
}

/* Make an event descriptor that the kernel signals when memory runs out and it starts to choose a victim. */
static void watch_memory(struct handle *h)
{
	int dir = h->dir[MEMORY];

	h->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	h->oom_control = openat(dir, "memory.oom_control", O_RDONLY | O_CLOEXEC);
	if (h->event >= 0 && h->oom_control >= 0 &&
	    cgroup_write(dir, "cgroup.event_control", "%d %d", h->event, h->oom_control) == 0)
		return;
	if (h->event >= 0)
		close(h->event);
	h->event = -1;
}

static int cgroup1_prepare(void **ret_handle, const char *name,
			   const struct armada_contain_limits *limits,
			   const struct armada_option_value *values, struct armada_error *err)
{
	struct handle *h = calloc(1, sizeof(*h));
	int rc;

	if (!h)
		return fail(err, -ENOMEM, "prepare");
	no_fds(h->parent);
	no_fds(h->dir);
	h->event = h->oom_control = -1;
	snprintf(h->name, sizeof(h->name), "%s", name);
	snprintf(h->group, sizeof(h->group), "%s", limits->group ? limits->group : "");
	rc = open_parents(h->parent, h->with, values, err);
	if (rc == 0)
		rc = make_groups(h, limits, values, err);
	if (rc < 0) {
		remove_groups(h);
		free_handle(h);
		return rc;
	}
	watch_memory(h);
	*ret_handle = h;
	return 0;
}

/*
 * The group first: a limit below it cannot be larger. Cpus and devices are limited in the task's group
 * alone.
 */
static int cgroup1_update(void *handle, const struct armada_contain_limits *limits,
			  const struct armada_option_value *values, struct armada_error *err)
{
	struct handle *h = handle;

	for (int i = 0; i < CONTROLLERS; i++) {
		bool of_group = h->group[0] && (i == MEMORY || i == CPU || i == PIDS);
		int with = h->with[i], rc = 0;

		if (h->dir[with] < 0 || !controllers[i].set)
			continue;
		if (of_group)
			rc = controllers[i].set(h->parent[with], limits, values);
		if (rc == 0)
			rc = controllers[i].set(h->dir[with], limits, values);
		if (rc < 0)
			return fail_at(err, rc, i, "the limit of several tasks cannot be set");
	}
	return 0;
}

/*
 * The child writes to "tasks", which moves one thread; a process that was just forked has only one. Moving
 * a process ("cgroup.procs") would make the kernel block forks meanwhile, and wait up to 20 ms for that
 * (an RCU grace period).
 */
static int cgroup1_enter(void *handle, struct armada_error *err)
{
	const struct handle *h = handle;

	for (int i = 0; i < CONTROLLERS; i++) {
		int rc = h->dir[i] < 0 ? 0 : cgroup_write(h->dir[i], "tasks", "0");

		if (rc < 0)
			return fail_at(err, rc, i, "cannot enter the task's group");
	}
	return 0;
}

static int cgroup1_started(void *handle, pid_t pid, struct armada_error *err)
{
	struct handle *h = handle;

	(void)err;
	h->leader = pid;
	return 0;
}

/* ---- signals ---- */

/* A process that sleeps in the kernel for long does not freeze, but it cannot fork either. */
static void freeze(int dir)
{
	char state[CGROUP_TEXT];

	if (cgroup_write(dir, "freezer.state", "FROZEN") < 0)
		return;
	for (int pass = 0; pass < FREEZE_PASSES; pass++) {
		if (cgroup_read(dir, "freezer.state", state) < 0 || strcmp(state, "FROZEN") == 0)
			return;
		cgroup_pause();
	}
}

/* In cgroup v1 a frozen process receives signals, also SIGKILL, only after it is thawed. */
static int signal_frozen(int dir, const char *name, int sig)
{
	int count = cgroup_signal(dir, name, 0);

	if (count <= 0)
		return count;
	freeze(dir);
	count = cgroup_signal(dir, name, sig);
	cgroup_write(dir, "freezer.state", "THAWED");
	return count;
}

/* The leader is a child of the shepherd, so its pid cannot be reused before the shepherd reaps it. */
static int cgroup1_signal(void *handle, int sig, bool leader_only, struct armada_error *err)
{
	const struct handle *h = handle;
	int count;

	if (leader_only)
		return kill(h->leader, sig) < 0 ? fail(err, -errno, "cannot signal the task") : 0;
	count = signal_frozen(h->dir[FREEZER], h->name, sig);
	return count < 0 ? fail(err, count, "cannot signal the task") : 0;
}

static int cgroup1_freeze(void *handle, bool frozen, struct armada_error *err)
{
	const struct handle *h = handle;
	int rc = 0;

	if (frozen)
		freeze(h->dir[FREEZER]);
	else
		rc = cgroup_write(h->dir[FREEZER], "freezer.state", "THAWED");
	return rc < 0 ? fail(err, rc, "cannot resume the task") : 0;
}

static int cgroup1_kill(void *handle, struct armada_error *err)
{
	const struct handle *h = handle;
	int count = signal_frozen(h->dir[FREEZER], h->name, SIGKILL);

	return count < 0 ? fail(err, count, "cannot kill the task") : count;
}

static void cgroup1_finish(void *handle)
{
	remove_groups(handle);
	free_handle(handle);
}

static int cgroup1_watch(void *handle)
{
	return ((struct handle *)handle)->event;
}

/* ---- groups that dead shepherds left ---- */

static int kill_group(int dir, const char *name)
{
	return signal_frozen(dir, name, SIGKILL);
}

static int search(int i, const char *prefix, cgroup_found *found, struct cgroup_search *s)
{
	int rc = cgroup_search(controllers[i].name, prefix, found, s);

	return rc == -ENOENT && !controllers[i].needed ? 0 : rc;
}

static int cgroup1_find(const char *prefix, const struct armada_option_value *values,
			void (*found)(void *arg, const char *name), void *arg,
			struct armada_error *err)
{
	struct cgroup_search s = {.found = found, .arg = arg};
	int rc = search(FREEZER, prefix, cgroup_report_found, &s);

	(void)values;
	for (int i = 0; i < CONTROLLERS; i++)
		cgroup_remove_empty(controllers[i].name, prefix);
	return rc < 0 ? fail_at(err, rc, FREEZER, "cannot search for groups of dead tasks") : 0;
}

static int cgroup1_reclaim(const char *name, const struct armada_option_value *values,
			   struct armada_error *err)
{
	struct cgroup_search s = {.name = name, .kill = kill_group};
	int rc = search(FREEZER, name, cgroup_kill_found, &s);

	(void)values;
	if (rc == 0 && s.error == 0 && s.count > 0)
		return s.count;
	for (int i = CONTROLLERS - 1; i >= 0 && rc == 0; i--)
		rc = search(i, name, cgroup_remove_found, &s);
	rc = rc < 0 ? rc : s.error;
	return rc < 0 ? fail(err, rc, "the groups of a dead task cannot be removed") : 0;
}

/* ---- can it work here? ---- */

/* Make and remove a real group in every hierarchy. */
static int try_groups(const struct armada_option_value *values, struct armada_error *err)
{
	const struct armada_contain_limits limits = {.cpu_milli = 1000, .memory_bytes = 1 << 30};
	char name[64];
	void *handle;
	int rc;

	snprintf(name, sizeof(name), "armada-probe-%d", (int)getpid());
	rc = cgroup1_prepare(&handle, name, &limits, values, err);
	if (rc == 0)
		cgroup1_finish(handle);
	return rc;
}

/* Only a group that was made for tasks gets a limit: armd itself may be in the one without root. */
static int bound_pids(const struct armada_option_value *values, struct armada_error *err)
{
	int fd = *values[CGROUP_ROOT].s ? open_parent(PIDS, values) : -ENOENT, rc;

	if (fd < 0)
		return 0;
	rc = cgroup_bound_pids(fd);
	close(fd);
	return rc < 0 ? fail_at(err, rc, PIDS, "the limit of all tasks cannot be set") : 0;
}

static void remark_missing(struct armada_error *err)
{
	struct cgroup_place place;
	size_t len = 0;

	for (int i = 0; i < CONTROLLERS; i++)
		if (cgroup_place(controllers[i].name, &place) < 0 && len < sizeof(err->text))
			len += (size_t)snprintf(err->text + len, sizeof(err->text) - len, "%s%s",
						len ? ", " : "without ", controllers[i].name);
}

static int cgroup1_probe(const struct armada_option_value *values, struct armada_error *err)
{
	int rc;

	if (geteuid() != 0)
		return cgroup_fail(err, -EPERM, "cgroup1", "armd does not run as root");
	rc = try_groups(values, err);
	if (rc == 0)
		rc = bound_pids(values, err);
	if (rc == 0)
		remark_missing(err);
	return rc;
}

static uint32_t cgroup1_contains(const struct armada_option_value *values)
{
	static const uint32_t limited[CONTROLLERS] = {
		[MEMORY] = ARMADA_CONTAINS_MEMORY,
		[CPU] = ARMADA_CONTAINS_CPU,
		[PIDS] = ARMADA_CONTAINS_PIDS,
		[DEVICES] = ARMADA_CONTAINS_DEVICES,
	};
	uint32_t sum = 0;

	/* A hierarchy may be mounted without our group in it, as in some containers. */
	for (int i = 0; i < CONTROLLERS; i++) {
		int fd = limited[i] ? open_parent(i, values) : -1;

		if (fd < 0)
			continue;
		sum |= limited[i];
		close(fd);
	}
	return values[CGROUP_DEVICE_FILTER].i ? sum : sum & ~(uint32_t)ARMADA_CONTAINS_DEVICES;
}

static int cgroup1_check(const struct armada_option_value *values, struct armada_error *err)
{
	return cgroup_check_root(values, err);
}

static const struct armada_contain_ops ops = {
	.probe = cgroup1_probe,
	.prepare = cgroup1_prepare,
	.enter = cgroup1_enter,
	.started = cgroup1_started,
	.signal = cgroup1_signal,
	.kill = cgroup1_kill,
	.usage = cgroup1_usage,
	.finish = cgroup1_finish,
	.watch = cgroup1_watch,
	.find = cgroup1_find,
	.reclaim = cgroup1_reclaim,
	.contains = cgroup1_contains,
	.freeze = cgroup1_freeze,
	.update = cgroup1_update,
	.check = cgroup1_check,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_CONTAIN, "cgroup1",
	      "groups of the kernel's cgroup v1: memory, cpu, freezer, devices, pids", options,
	      ops);
