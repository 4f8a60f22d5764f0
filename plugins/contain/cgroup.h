/*
 * Functions that contain/cgroup1 and contain/cgroup2 share: the mount point of a hierarchy, our own group
 * in it, the files of a group, and the processes in it.
 *
 * A group is given as a directory descriptor, or as parent and name. No state is kept between two calls:
 * the kernel's files are the state.
 */
#pragma once

#include <armada/contain.h>

#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_PATH = 2048, CGROUP_TEXT = 4096, CGROUP_PAUSE_NS = 1000000 };

/* A hierarchy: its mount point, and the path of our own group below it ("": the mount point itself). */
struct cgroup_place {
	char mount[CGROUP_PATH];
	char own[CGROUP_PATH];
};

/* controller: of cgroup v1; NULL: the unified hierarchy. -ENOENT: not mounted, or not visible to us. */
int cgroup_place(const char *controller, struct cgroup_place *ret_place);

/*
 * The value of the option root as a path below the mount point, without a slash at its start. People write it
 * as a path of the file system too: "/sys/fs/cgroup/armada", "/sys/fs/cgroup/memory/armada" and "/armada" are
 * all "armada". Points into root.
 */
const char *cgroup_root(const struct cgroup_place *place, const char *root);
/* 0, or -EINVAL: the option root leads out of the hierarchy, or names no group. */
int cgroup_check_root(const struct armada_option_value *values, struct armada_error *err);

/* Open a directory relative to at (AT_FDCWD: an absolute path). A descriptor or a negative errno. */
int cgroup_open(int at, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Write one value to a file of a group. 0 or a negative errno. */
int cgroup_write(int dir, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Read the start of a file as a string, without the last newline. Its length or a negative errno. */
int cgroup_read(int dir, const char *file, char ret_text[CGROUP_TEXT]);
/* Read a number; "max" is INT64_MAX. Negative: no number. */
int64_t cgroup_number(int dir, const char *file);
/* Read the number after a word: "oom_kill 3". Negative: no number. */
int64_t cgroup_field(int dir, const char *file, const char *word);
/* Does the list contain the word? */
bool cgroup_has_word(const char *list, const char *word);

/*
 * Signal every process in the group dir, whose name is `name`, and in the groups below it (sig 0: only
 * count). Each process is opened as a pidfd and its group is checked first, because the pid may have been
 * reused. Returns the number of processes, or a negative errno.
 */
int cgroup_signal(int dir, const char *name, int sig);

/*
 * Make the group and open it. A group of that name that exists is removed first: it belongs to the same
 * attempt, which did not reach its fork. A descriptor or a negative errno.
 */
int cgroup_make(int parent, const char *name);
/*
 * Open the group of several tasks below base; make it if it does not exist. A descriptor or a negative errno.
 * Another shepherd may remove it before it has a group below it: cgroup_make() then returns -ENOENT or
 * -ENODEV, and cgroup_gone() tells whether to try again.
 */
int cgroup_join(int base, const char *name);
bool cgroup_gone(int rc, int *tries);
/* Remove the group of several tasks, of which dir is a descriptor, unless it has groups below it. */
void cgroup_leave(int dir, const char *name);
/* Remove the groups of several tasks that have no task, whose names go on with prefix. As cgroup_search(). */
int cgroup_remove_empty(const char *controller, const char *prefix);
/* Remove the group and all groups below it. Waits a moment, since a process that just died may hold it. */
int cgroup_remove(int parent, const char *name);

/*
 * Call found for every group below dir whose name begins with prefix, at any depth. The arguments are
 * borrowed; found may remove the group.
 */
typedef void cgroup_found(void *arg, int parent, const char *name);
void cgroup_walk(int dir, const char *prefix, cgroup_found *found, void *arg);

/* The argument of the walks of find (found, arg) and reclaim (the others). */
struct cgroup_search {
	void (*found)(void *arg, const char *name);
	void *arg;
	const char *name;                       /* of the one group to reclaim */
	int (*kill)(int dir, const char *name); /* the number of processes, or a negative errno */
	int count, error;
};

/* Functions of type cgroup_found for a search: report the group, kill its processes, remove it. */
void cgroup_report_found(void *search, int parent, const char *name);
void cgroup_kill_found(void *search, int parent, const char *name);
void cgroup_remove_found(void *search, int parent, const char *name);
/*
 * cgroup_walk over a whole hierarchy (see cgroup_place), because an armd that was restarted may be in
 * another group than before. 0 or a negative errno.
 */
int cgroup_search(const char *controller, const char *prefix, cgroup_found *found,
		  struct cgroup_search *s);

/* Replace figures of u by those of getrusage for dead children, where they are missing or smaller. */
void cgroup_add_rusage(struct armada_contain_usage *u);
/* Three quarters of the process numbers of the machine: for all tasks together. */
int64_t cgroup_pids_of_all(void);
/* Apply this limit to the parent group of all tasks, unless it has a smaller one. 0 or a negative errno. */
int cgroup_bound_pids(int dir);
void cgroup_pause(void);
/* 0 instead of the errors of a kernel without the feature. */
int cgroup_optional(int rc);
/* "contain/cgroup1: memory.max: No space left on device" */
int cgroup_fail(struct armada_error *err, int code, const char *plugin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The options of both plugins, in the order of CGROUP_OPTIONS. */
enum cgroup_option {
	CGROUP_ROOT,
	CGROUP_MEMORY_LEAST,
	CGROUP_PIDS_MAX,
	CGROUP_DEVICE_FILTER,
	CGROUP_DEVICES,
	CGROUP_REQUIRE,
};

/*
 * The least limit of processes that follows from the cpus of a task: programs with a part of a cpu start a
 * thread for each cpu of the machine too.
 */
enum { PIDS_LEAST = 512 };

/* clang-format off */
#define CGROUP_OPTIONS(root_help_)                                                                 \
	{.name = "root", .type = ARMADA_OPTION_STRING, .def = "", .help = root_help_},             \
	{.name = "memory_min", .type = ARMADA_OPTION_SIZE, .def = "30M", .min = 0,                 \
	 .max = 1099511627776.0,                                                                   \
	 .help = "Lower bound of a task's memory limit: starting a shell needs some memory."},     \
	{.name = "pids_max", .type = ARMADA_OPTION_INT, .def = "0", .min = 0, .max = 4194304,      \
	 .help = "Maximum number of processes and threads of one task. 0: the task's part, by its " \
		 "cpus, of three quarters of what the machine can have; at least 512."},           \
	{.name = "device_filter", .type = ARMADA_OPTION_BOOL, .def = "true",                       \
	 .help = "Restrict the devices that a task may open to its own gpus, the devices that "    \
		 "every program needs (null, zero, random, terminals), fuse, InfiniBand and "      \
		 "similar ones, and those of the option devices. This applies where the node "     \
		 "knows the device files of its gpus."},                                           \
	{.name = "devices", .type = ARMADA_OPTION_STRINGS,                                         \
	 .help = "More device files that every task may open, as shell patterns, such as "         \
		 "\"/dev/my-fabric*\"."},                                                          \
	ARMADA_CONTAIN_REQUIRE
/* clang-format on */

/* The limits of memory and processes that follow from a task's limits and the options. */
int64_t cgroup_memory(const struct armada_contain_limits *l, const struct armada_option_value *v);
int64_t cgroup_pids(const struct armada_contain_limits *l, const struct armada_option_value *v);
