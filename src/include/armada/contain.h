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
#include <sys/types.h>

struct armada_contain_limits {
	int64_t cpu_milli;
	int64_t memory_bytes; /* 0: none */
	uint32_t uid;
};

struct armada_contain_usage {
	int64_t cpu_us;
	int64_t max_rss_bytes;
	int64_t read_bytes;
	int64_t written_bytes;
	bool oom; /* the kernel killed a process of the task for memory */
};

struct armada_contain_ops {
	/* Can it work here? 0, or a negative errno and why not. Called once, in the launcher. */
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
};

#endif
