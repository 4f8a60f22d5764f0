/*
 * Containment plugins: track, limit and kill all processes of a task.
 *
 * The functions run in the shepherd of one task attempt, as root if armd runs as root. The shepherd
 * has one thread and is a child subreaper. `prepare` runs in the shepherd before the fork, `enter`
 * in the child before it drops its privileges. A plugin must not allocate between fork and exec.
 */
#ifndef ARMADA_CONTAIN_H
#define ARMADA_CONTAIN_H

#include <armada/plugin.h>
#include <stddef.h>
#include <sys/types.h>

/* A device that a task may use, in addition to the devices for all tasks. */
struct armada_device {
	const char *path; /* "/dev/nvidia0", for messages */
	uint32_t major, minor;
	bool block;
};

/*
 * The start of the name of a group of tasks. The rest, up to a plus sign, is the start of the names of
 * its tasks. What follows distinguishes groups whose tasks have names with the same start.
 */
#define ARMADA_CONTAIN_GROUP "job-"

struct armada_contain_limits {
	int64_t cpu_milli;
	int64_t memory_bytes; /* 0: none */
	uint32_t uid;
	/* The cpus and memory nodes that it may use, as kernel lists: "0-3,8". NULL or "": all. */
	const char *cpus;
	const char *mems;
	/* false: the host does not know the devices of each task, so none is refused. */
	bool devices_known;
	const struct armada_device *devices;
	size_t device_count;
	int64_t pids_max; /* limit of processes and threads; 0: the plugin's option */
	bool cpu_quota;   /* cpu_milli is a limit too, not only a share when cpus are scarce */
	/* The task is in this group (ARMADA_CONTAIN_GROUP), which other tasks share. NULL: in none. */
	const char *group;
	uint32_t tasks; /* the limits are the sum for this many tasks; 0: for one */
};

/*
 * What a task has used until now. The host calls `usage` early and often at first, then every few
 * seconds, before it sends signals, and when no process is left; so a plugin may combine the samples of
 * all calls.
 */
struct armada_contain_usage {
	int64_t cpu_us; /* of all processes, also of those that run */
	/*
	 * The most memory that its processes had at one time: anonymous and shared memory, without the
	 * page cache. A plugin that only has samples reports at least the largest of them. Memory that
	 * was used between two samples counts as far as other figures of the kernel prove it.
	 */
	int64_t max_rss_bytes;
	int64_t read_bytes;
	int64_t written_bytes;
	bool oom; /* the kernel killed a process of the task for memory */
	/*
	 * The most memory that counted against its limit, with the page cache and memory of the kernel.
	 * 0: the plugin has no such figure.
	 */
	int64_t group_peak_bytes;
	/* The parts of cpu_us in user mode and in the kernel. Both 0: the plugin has no such figures. */
	int64_t user_us, system_us;
};

/* What a plugin limits for each task. The numbers never change. */
enum armada_contains {
	ARMADA_CONTAINS_MEMORY = 1,
	ARMADA_CONTAINS_CPU = 2, /* a part of the cpu time, by weight or by quota */
	ARMADA_CONTAINS_DEVICES =
		4, /* only those of the task can be opened, where they are known */
	ARMADA_CONTAINS_PIDS = 8,
};

/*
 * A row of the table of options that every contain plugin should have. The host reads it: armd does not
 * start if the plugin limits less.
 */
#define ARMADA_CONTAIN_REQUIRE                                                                      \
	{                                                                                           \
		.name = "require", .type = ARMADA_OPTION_STRING, .def = "",                         \
		.help = "What must be limited for each task, as \"memory,cpu,devices,pids\": armd " \
			"does not start where one of them is missing, and says why. Empty: armd "   \
			"starts, and anode displays what is missing.",                              \
	}

struct armada_contain_ops {
	/*
	 * Checks that the plugin can work on this machine. Returns 0, possibly with a remark in err
	 * ("without pids"), or a negative errno with the reason. The launcher calls it first. The
	 * function may create objects that all tasks need.
	 */
	int (*probe)(const struct armada_option_value *values, struct armada_error *err);
	/* name is unique on the machine during the task: letters, digits, dot, dash, underscore. */
	int (*prepare)(void **ret_handle, const char *name,
		       const struct armada_contain_limits *limits,
		       const struct armada_option_value *values, struct armada_error *err);
	int (*enter)(void *handle, struct armada_error *err);
	/* Called in the shepherd after the fork of the child. */
	int (*started)(void *handle, pid_t pid, struct armada_error *err);
	/* Sends sig to all processes of the task (leader_only: only to the first one). */
	int (*signal)(void *handle, int sig, bool leader_only, struct armada_error *err);
	/*
	 * Kills all remaining processes. Returns the number of processes that it found; the host
	 * calls it again until it returns 0.
	 */
	int (*kill)(void *handle, struct armada_error *err);
	int (*usage)(void *handle, struct armada_contain_usage *ret_usage,
		     struct armada_error *err);
	/* No process is left: removes everything that prepare made, and frees the handle. */
	void (*finish)(void *handle);
	/*
	 * Returns a descriptor of the handle. Poll reports it (POLLIN or POLLPRI) when `usage` may
	 * have set oom. Negative: no descriptor. NULL: the plugin never has one.
	 */
	int (*watch)(void *handle);
	/*
	 * Called in the launcher for tasks whose shepherd died. Reports the names that begin with
	 * prefix, that prepare used and finish has not removed. NULL: nothing remains without a
	 * shepherd.
	 */
	int (*find)(const char *prefix, const struct armada_option_value *values,
		    void (*found)(void *arg, const char *name), void *arg,
		    struct armada_error *err);
	/*
	 * Kills all processes of one of these names, and removes what prepare made. Returns the
	 * number of processes that it found, as kill does. An unknown name: 0. NULL: as above.
	 */
	int (*reclaim)(const char *name, const struct armada_option_value *values,
		       struct armada_error *err);
	/*
	 * Returns a descriptor of a cgroup v2 directory. A child that is forked into it
	 * (CLONE_INTO_CGROUP) does not need `enter`. Negative: no directory. NULL: the plugin never
	 * has one.
	 */
	int (*cgroup_fd)(void *handle);
	/*
	 * Returns the sum of enum armada_contains for what the plugin limits on this machine.
	 * Called after a successful probe. NULL: nothing counts as limited.
	 */
	uint32_t (*contains)(const struct armada_option_value *values);
	/*
	 * Freezes all processes of the task, also those that it would fork, or thaws them. Called in the
	 * shepherd. `signal` may thaw them; the host calls it again then. NULL: the plugin cannot.
	 */
	int (*freeze)(void *handle, bool frozen, struct armada_error *err);
	/*
	 * Gives the task, whose child waits or runs, other limits: the sum for the tasks of its group,
	 * whose programs may all run in this task. The same limits apply to the group from now on, so
	 * that all its tasks together never use more. Called in the shepherd. NULL: the limits of
	 * prepare stay.
	 */
	int (*update)(void *handle, const struct armada_contain_limits *limits,
		      const struct armada_option_value *values, struct armada_error *err);
	/*
	 * Checks values beyond their types, on any machine: armctld --check calls it, and armd before
	 * probe. Returns 0 or a negative errno with a text that names the option. NULL: nothing to check.
	 */
	int (*check)(const struct armada_option_value *values, struct armada_error *err);
};

#endif
