/*
 * contain/cgroup2: one group for each task in the unified hierarchy.
 *
 * In: the name and the limits of a task. Out: its processes, signalled, counted or killed, and their usage.
 * A child enters the group before it drops its privilege and cannot leave it, so all processes that it
 * forks are in the group. cgroup.kill kills all of them at once, in the kernel. Before Linux 5.14, and for
 * other signals, the group is frozen so that no process forks while its list is read. Devices are filtered
 * by a BPF program (devices_bpf.c).
 */
#include "cgroup2.h"
#include "cgroup2_base.h"
#include "cgroup2_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREEZE_PASSES = 50 };

static const struct armada_option options[] = {
	CGROUP_OPTIONS(
		"Make the groups of tasks below this group, such as \"/armada\" or "
		"\"/sys/fs/cgroup/armada\". Without this "
		"option, armd makes two groups below the group in which it was started: armada "
		"for the groups of tasks, and daemon for itself. Where other processes are in that "
		"group, armd makes both below /armada, at the top. If systemd started armd without "
		"DelegateSubgroup=daemon, the groups of tasks are made below /armada."),
};

/* ---- the group of a task ---- */

static void free_handle(struct handle *h)
{
	if (h->dir >= 0) {
		close(h->dir);
		cgroup_remove(h->base, h->name);
		if (h->group[0])
			cgroup_leave(h->base, h->group);
	}
	if (h->base >= 0)
		close(h->base);
	if (h->filter >= 0)
		close(h->filter);
	free(h);
}

/* Make the task's group in the group of several tasks. */
static int make_in_group(struct handle *h)
{
	int tries = 0, rc;

	do {
		int dir = cgroup_join(h->base, h->group);

		rc = dir < 0 ? dir : cgroup2_base_pass_on(h->base, dir);
		if (rc == 0)
			rc = cgroup_make(dir, h->name);
		if (rc >= 0) {
			close(h->base);
			h->base = dir;
		} else if (dir >= 0) {
			cgroup_leave(dir, h->group);
			close(dir);
		}
	} while (cgroup_gone(rc, &tries));
	return rc;
}

static int set_up(struct handle *h, const struct armada_contain_limits *limits,
		  const struct armada_option_value *values, struct armada_error *err)
{
	h->base = cgroup2_base_open(values, err);
	if (h->base < 0)
		return h->base;
	h->dir = h->group[0] ? make_in_group(h) : cgroup_make(h->base, h->name);
	if (h->dir < 0)
		return cgroup2_fail(err, h->dir, "the task's group cannot be made: %s",
				    strerror(-h->dir));
	return cgroup2_limits_set(h, limits, values, err);
}

static int cgroup2_update(void *handle, const struct armada_contain_limits *limits,
			  const struct armada_option_value *values, struct armada_error *err)
{
	struct handle *h = handle;
	int rc = h->group[0] ? cgroup2_limits_set_group(h->base, limits, values, err) : 0;

	return rc < 0 ? rc : cgroup2_limits_set(h, limits, values, err);
}

static int cgroup2_prepare(void **ret_handle, const char *name,
			   const struct armada_contain_limits *limits,
			   const struct armada_option_value *values, struct armada_error *err)
{
	struct handle *h = calloc(1, sizeof(*h));
	int rc;

	if (!h)
		return cgroup2_fail(err, -ENOMEM, "prepare: %s", strerror(ENOMEM));
	h->base = h->dir = h->filter = -1;
	snprintf(h->name, sizeof(h->name), "%s", name);
	snprintf(h->group, sizeof(h->group), "%s", limits->group ? limits->group : "");
	rc = set_up(h, limits, values, err);
	if (rc < 0) {
		free_handle(h);
		return rc;
	}
	*ret_handle = h;
	return 0;
}

static int cgroup2_enter(void *handle, struct armada_error *err)
{
	const struct handle *h = handle;
	int rc = cgroup_write(h->dir, "cgroup.procs", "0");

	return rc < 0 ? cgroup2_fail(err, rc, "cannot enter the task's group: %s", strerror(-rc))
		      : 0;
}

static int cgroup2_fd(void *handle)
{
	const struct handle *h = handle;

	return h->dir;
}

static int cgroup2_started(void *handle, pid_t pid, struct armada_error *err)
{
	struct handle *h = handle;

	(void)err;
	h->leader = pid;
	return 0;
}

static void cgroup2_finish(void *handle)
{
	free_handle(handle);
}

/* ---- signals ---- */

static void freeze(int dir)
{
	if (cgroup_write(dir, "cgroup.freeze", "1") < 0)
		return;
	for (int pass = 0; pass < FREEZE_PASSES; pass++) {
		if (cgroup_field(dir, "cgroup.events", "frozen") != 0)
			return;
		cgroup_pause();
	}
}

/* Frozen, so that no process forks while the list is read. */
static int signal_frozen(int dir, const char *name, int sig)
{
	int count;

	freeze(dir);
	count = cgroup_signal(dir, name, sig);
	cgroup_write(dir, "cgroup.freeze", "0");
	return count;
}

/* The number of processes that were there. */
static int kill_group(int dir, const char *name)
{
	int count = cgroup_signal(dir, name, 0), rc;

	if (count <= 0)
		return count;
	rc = cgroup_write(dir, "cgroup.kill", "1");
	return rc == -ENOENT ? signal_frozen(dir, name, SIGKILL) : rc < 0 ? rc : count;
}

/* The leader is a child of the shepherd, so its pid cannot be reused before the shepherd reaps it. */
static int cgroup2_signal(void *handle, int sig, bool leader_only, struct armada_error *err)
{
	struct handle *h = handle;
	int count;

	if (leader_only)
		count = kill(h->leader, sig) < 0 ? -errno : 1;
	else
		count = signal_frozen(h->dir, h->name, sig);
	return count < 0 ? cgroup2_fail(err, count, "cannot signal the task: %s", strerror(-count))
			 : 0;
}

static int cgroup2_freeze(void *handle, bool frozen, struct armada_error *err)
{
	const struct handle *h = handle;
	int rc = cgroup_write(h->dir, "cgroup.freeze", frozen ? "1" : "0");

	return rc < 0 ? cgroup2_fail(err, rc, "cannot %s the task: %s",
				     frozen ? "suspend" : "resume", strerror(-rc))
		      : 0;
}

static int cgroup2_kill(void *handle, struct armada_error *err)
{
	struct handle *h = handle;
	int count;

	count = kill_group(h->dir, h->name);
	return count < 0 ? cgroup2_fail(err, count, "cannot kill the task: %s", strerror(-count))
			 : count;
}

/* ---- groups that dead shepherds left ---- */

static int search(const char *prefix, cgroup_found *found, struct cgroup_search *s,
		  struct armada_error *err)
{
	int rc = cgroup_search(NULL, prefix, found, s);

	return rc < 0 ? cgroup2_fail(err, rc, "cannot search for groups of dead tasks: %s",
				     strerror(-rc))
		      : 0;
}

static int cgroup2_find(const char *prefix, const struct armada_option_value *values,
			void (*found)(void *arg, const char *name), void *arg,
			struct armada_error *err)
{
	struct cgroup_search s = {.found = found, .arg = arg};

	(void)values;
	cgroup_remove_empty(NULL, prefix);
	return search(prefix, cgroup_report_found, &s, err);
}

static int cgroup2_reclaim(const char *name, const struct armada_option_value *values,
			   struct armada_error *err)
{
	struct cgroup_search s = {.name = name, .kill = kill_group};
	int rc = search(name, cgroup_kill_found, &s, err);

	(void)values;
	if (rc == 0 && s.count == 0 && s.error == 0)
		rc = search(name, cgroup_remove_found, &s, err);
	if (rc == 0 && s.count == 0 && s.error < 0)
		rc = cgroup2_fail(err, s.error, "the group of a dead task cannot be removed: %s",
				  strerror(-s.error));
	return rc < 0 ? rc : s.count;
}

/* ---- can it work here? ---- */

/* Make and remove a real group with limits and a filter. */
static int try_group(const struct armada_option_value *values, struct armada_error *err)
{
	const struct armada_contain_limits limits = {
		.cpu_milli = 1000, .memory_bytes = 1 << 30, .devices_known = true};
	char name[64];
	void *handle;
	int rc;

	snprintf(name, sizeof(name), "armada-probe-%d", (int)getpid());
	rc = cgroup2_prepare(&handle, name, &limits, values, err);
	if (rc == 0)
		cgroup2_finish(handle);
	return rc;
}

static int cgroup2_probe(const struct armada_option_value *values, struct armada_error *err)
{
	int rc;

	if (geteuid() != 0)
		return cgroup2_fail(err, -EPERM, "armd does not run as root");
	rc = cgroup2_base_make(values, err);
	if (rc == 0)
		rc = try_group(values, err);
	if (rc == 0)
		err->text[0] = '\0'; /* the error of a first try that was repeated */
	return rc;
}

/* The probe fails without one of the controllers memory, cpu and pids, or the filter of devices. */
static uint32_t cgroup2_contains(const struct armada_option_value *values)
{
	return ARMADA_CONTAINS_MEMORY | ARMADA_CONTAINS_CPU | ARMADA_CONTAINS_PIDS |
	       (values[CGROUP_DEVICE_FILTER].i ? ARMADA_CONTAINS_DEVICES : 0);
}

static int cgroup2_check(const struct armada_option_value *values, struct armada_error *err)
{
	return cgroup_check_root(values, err);
}

static const struct armada_contain_ops ops = {
	.probe = cgroup2_probe,
	.prepare = cgroup2_prepare,
	.enter = cgroup2_enter,
	.started = cgroup2_started,
	.signal = cgroup2_signal,
	.kill = cgroup2_kill,
	.usage = cgroup2_usage,
	.finish = cgroup2_finish,
	.find = cgroup2_find,
	.reclaim = cgroup2_reclaim,
	.cgroup_fd = cgroup2_fd,
	.contains = cgroup2_contains,
	.freeze = cgroup2_freeze,
	.update = cgroup2_update,
	.check = cgroup2_check,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_CONTAIN, "cgroup2",
	      "groups of the kernel's cgroup v2: memory, cpu, pids, devices, cgroup.kill", options,
	      ops);
