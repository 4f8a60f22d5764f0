/* What the files of contain/cgroup2 share: where tasks' groups are, and one task's group. */
#ifndef CONTAIN_CGROUP2_H
#define CONTAIN_CGROUP2_H

#include "cgroup.h"

#include <signal.h>

struct handle {
	char name[256];
	int base;           /* the group of all tasks' groups */
	int dir;            /* the task's own */
	int64_t peak_bytes; /* most memory seen, where the kernel does not keep the peak itself */
	pid_t leader;
};

/*
 * cgroup2_base.c: the group below which tasks have theirs. Option root names it. Else it is `armada`,
 * beside the leaf `daemon` that armd is in, or at the top where systemd rules: a unit's own group must
 * be empty for systemd to start it again while tasks run on.
 */
int base_open(const struct armada_option_value *values, struct armada_error *err);
/*
 * In the launcher, once: make it, with every controller that tasks need handed down to it, and go into
 * a leaf if that needs it.
 */
int base_make(const struct armada_option_value *values, struct armada_error *err);

/* cgroup2_limits.c */
int limits_set(int dir, const struct armada_contain_limits *limits,
	       const struct armada_option_value *values, struct armada_error *err);
int cgroup2_usage(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err);
/* The peak so far, of where the kernel does not keep it. */
void sample_memory(struct handle *h);

#define cgroup2_fail(err, code, ...) cgroup_fail(err, code, "cgroup2", __VA_ARGS__)

#endif
