/*
 * Containment plugins: track, limit and kill all processes of a task.
 *
 * Called in the shepherd of one task attempt, as root where armd is root, single-threaded, after
 * it made itself a child subreaper. `prepare` runs in the shepherd before the fork; `enter` in the
 * child, before it drops privilege. A plugin allocates nothing between fork and exec.
 */
#ifndef ARMADA_CONTAIN_H
#define ARMADA_CONTAIN_H

#include <armada/plugin.h>
#include <stddef.h>
#include <sys/types.h>

/* A device that a task may use, beside those that every task may. */
struct armada_device {
	const char *path; /* "/dev/nvidia0", for messages */
	uint32_t major, minor;
	bool block;
};

struct armada_contain_limits {
	int64_t cpu_milli;
	int64_t memory_bytes; /* 0: none */
	uint32_t uid;
	/* The only cpus and memory nodes it may use, as the kernel lists them: "0-3,8"; NULL, "": any. */
	const char *cpus;
	const char *mems;
	/* false: the host does not know which device is whose, and nothing is refused. */
	bool devices_known;
	const struct armada_device *devices;
	size_t device_count;
	int64_t pids_max; /* most processes and threads; 0: as the plugin's option says */
};

struct armada_contain_usage {
	int64_t cpu_us;
	int64_t max_rss_bytes;
	int64_t read_bytes;
	int64_t written_bytes;
	bool oom; /* the kernel killed a process of the task for memory */
};

struct armada_contain_ops {
	/*
	 * Can it work here? 0, perhaps with a remark in err ("without pids"), or a negative errno and
	 * why not. Called in the launcher before everything else; what tasks will need may be made.
	 */
	int (*probe)(const struct armada_option_value *values, struct armada_error *err);
	/* name is unique on the machine while the task lives: letters, digits, dot, dash, underscore. */
	int (*prepare)(void **ret_handle, const char *name, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values, struct armada_error *err);
	int (*enter)(void *handle, struct armada_error *err);
	/* The child exists; called in the shepherd. */
	int (*started)(void *handle, pid_t pid, struct armada_error *err);
	/* Send sig to every process of the task (leader_only: the first one alone). */
	int (*signal)(void *handle, int sig, bool leader_only, struct armada_error *err);
	/*
	 * Kill whatever is left. Returns how many processes were still there when called; call
	 * again until it returns 0.
	 */
	int (*kill)(void *handle, struct armada_error *err);
	int (*usage)(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err);
	/* Everything is dead: remove what prepare made and free the handle. */
	void (*finish)(void *handle);
	/*
	 * A descriptor, the handle's, that poll finds readable (POLLIN or POLLPRI) when usage may say
	 * oom from now on; negative: there is none. NULL: never.
	 */
	int (*watch)(void *handle);
	/*
	 * In the launcher, for tasks whose shepherd died: name everything that prepare made under a
	 * name that begins with prefix and that finish has not removed. NULL: nothing outlives a shepherd.
	 */
	int (*find)(const char *prefix, const struct armada_option_value *values,
		    void (*found)(void *arg, const char *name), void *arg,
		    struct armada_error *err);
	/*
	 * And kill all processes in what bears that name, and remove it. Returns how many there still
	 * were, as kill does: call again until it returns 0. Not there at all: 0. NULL as above.
	 */
	int (*reclaim)(const char *name, const struct armada_option_value *values,
		       struct armada_error *err);
	/*
	 * The handle's descriptor of a directory of cgroup v2 that a child may be born into
	 * (CLONE_INTO_CGROUP), which then needs no enter. Negative: there is none. NULL: never.
	 */
	int (*birthplace)(void *handle);
};

#endif
