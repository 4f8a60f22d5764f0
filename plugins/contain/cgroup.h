/*
 * What contain/cgroup1 and contain/cgroup2 share: where a hierarchy is mounted and where we are in
 * it, the small files of a group, and the processes in it.
 *
 * A group is named by a directory descriptor or by parent and name. Nothing here is kept between two
 * calls: a plugin has no state but what the kernel shows.
 */
#pragma once

#include <armada/contain.h>

#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_PATH = 2048, CGROUP_TEXT = 4096, CGROUP_PAUSE_NS = 1000000 };

/* A hierarchy: path of its mount point, and our own group below it ("" for the mount point itself). */
struct cgroup_place {
	char mount[CGROUP_PATH];
	char own[CGROUP_PATH];
};

/* Of a cgroup v1 controller, or the unified hierarchy (NULL). -ENOENT: not mounted where we see it. */
int cgroup_place(const char *controller, struct cgroup_place *ret_place);

/* A directory below at (AT_FDCWD: a path), with all formats. A descriptor or a negative errno. */
int cgroup_open(int at, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Write one value to a file of a group. 0 or a negative errno. */
int cgroup_write(int dir, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The start of a file as a string, without the last newline. Its length or a negative errno. */
int cgroup_read(int dir, const char *file, char ret_text[CGROUP_TEXT]);
/* A number; "max" is INT64_MAX. Negative: there is none. */
int64_t cgroup_number(int dir, const char *file);
/* The number behind a word: "oom_kill 3". Negative: there is none. */
int64_t cgroup_field(int dir, const char *file, const char *word);
/* Is word one of those in the list? */
bool cgroup_has_word(const char *list, const char *word);

/*
 * Signal every process in the group `name` that dir is and in what is below it (sig 0: only count). By
 * pidfd, each asked first whether it is in that group: a pid may be another's by now. Returns how many
 * there were, or a negative errno.
 */
int cgroup_signal(int dir, const char *name, int sig);

/*
 * Make the group and open it. One that is left over, of this very attempt, which never came as far as its
 * fork, is made anew. A descriptor or a negative errno.
 */
int cgroup_make(int parent, const char *name);
/* Remove the group and what is below it. A process that just died may hold it a moment: wait. */
int cgroup_remove(int parent, const char *name);

/*
 * Every group below dir whose name begins with prefix, however deep. found owns nothing; it may remove
 * what it was told of.
 */
typedef void cgroup_found(void *arg, int parent, const char *name);
void cgroup_walk(int dir, const char *prefix, cgroup_found *found, void *arg);

/* What find and reclaim walk with: whom to tell, or the one group that is meant and what came of it. */
struct cgroup_search {
	void (*found)(void *arg, const char *name);
	void *arg;
	const char *name;
	int (*kill)(int dir, const char *name); /* how many there were, or a negative errno */
	int count, error;
};

/* Each is a cgroup_found for a search: tell of the group, kill what is in it, remove it. */
void cgroup_tell(void *search, int parent, const char *name);
void cgroup_kill_found(void *search, int parent, const char *name);
void cgroup_remove_found(void *search, int parent, const char *name);
/*
 * cgroup_walk over a hierarchy (see cgroup_place). All of it: an armd that came back may be in another
 * group than the one before it. 0 or a negative errno.
 */
int cgroup_search(const char *controller, const char *prefix, cgroup_found *found,
		  struct cgroup_search *s);

/* What of the kernel's account of dead children is greater than u says. */
void cgroup_add_rusage(struct armada_contain_usage *u);
/* Half of the process numbers that the machine has: no task can use them all up. */
int64_t cgroup_pids_default(void);
void cgroup_pause(void);
/* What a kernel does not have is no failure. */
int cgroup_optional(int rc);
/* "contain/cgroup1: memory.max: No space left on device" */
int cgroup_fail(struct armada_error *err, int code, const char *plugin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The options of both, in the order of CGROUP_OPTIONS. */
enum cgroup_option {
	CGROUP_ROOT,
	CGROUP_CPU_LIMIT,
	CGROUP_MEMORY_LEAST,
	CGROUP_PIDS_MAX,
	CGROUP_DEVICE_FILTER,
	CGROUP_DEVICES,
};

/* clang-format off */
#define CGROUP_OPTIONS(root_help_)                                                                 \
	{.name = "root", .type = ARMADA_OPTION_STRING, .def = "", .help = root_help_},             \
	{.name = "cpu_limit", .type = ARMADA_OPTION_BOOL, .def = "false",                          \
	 .help = "A task gets no more cpu than it asked for even while others are idle. Without "  \
		 "it what it asked for is its share when there is not enough."},                   \
	{.name = "memory_least", .type = ARMADA_OPTION_SIZE, .def = "30M", .min = 0,               \
	 .max = 1099511627776.0,                                                                   \
	 .help = "A task's limit of memory is never smaller: starting a shell takes some."},       \
	{.name = "pids_max", .type = ARMADA_OPTION_INT, .def = "0", .min = 0, .max = 4194304,      \
	 .help = "Most processes and threads of one task; 0: half of what the machine can have."}, \
	{.name = "device_filter", .type = ARMADA_OPTION_BOOL, .def = "true",                       \
	 .help = "A task may open its own gpus and no others', where the node knows which device " \
		 "files they have. It may open what every program needs (null, zero, random, "     \
		 "terminals), fuse, InfiniBand and the like, what devices names, and nothing else."}, \
	{.name = "devices", .type = ARMADA_OPTION_STRINGS,                                         \
	 .help = "More device files that every task may open, as shell patterns, such as "         \
		 "\"/dev/my-fabric*\"."}
/* clang-format on */

/* What limits and options come to. */
int64_t cgroup_memory(const struct armada_contain_limits *l, const struct armada_option_value *v);
int64_t cgroup_pids(const struct armada_contain_limits *l, const struct armada_option_value *v);
