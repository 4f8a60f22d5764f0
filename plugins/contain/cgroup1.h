/* What the files of contain/cgroup1 share: the controllers, and one task's groups. */
#ifndef CONTAIN_CGROUP1_H
#define CONTAIN_CGROUP1_H

#include "cgroup.h"

#include <signal.h>

enum { FREEZER, MEMORY, CPUSET, CPU, PIDS, DEVICES, CPUACCT, BLKIO, CONTROLLERS };

struct controller {
	const char *name;
	bool needed;
	/* Set the task's limit in its group. 0 or a negative errno; NULL: it only counts. */
	int (*set)(int dir, const struct armada_contain_limits *limits,
		   const struct armada_option_value *values);
};

extern const struct controller controllers[CONTROLLERS];

struct handle {
	char name[256];
	int parent[CONTROLLERS]; /* -1: not mounted, or the same hierarchy as one before */
	int dir[CONTROLLERS];    /* the task's group there */
	int with[CONTROLLERS]; /* which entry of dir holds the controller: its own, or one before */
	int event, oom_control; /* told when memory runs out */
	bool oom_seen;
	pid_t leader;
};

/* cgroup1_set.c */
int controller_set_memory(int dir, const struct armada_contain_limits *limits,
			  const struct armada_option_value *values);
int controller_set_cpuset(int dir, const struct armada_contain_limits *limits,
			  const struct armada_option_value *values);
int controller_set_cpu(int dir, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values);
int controller_set_pids(int dir, const struct armada_contain_limits *limits,
			const struct armada_option_value *values);
int controller_set_devices(int dir, const struct armada_contain_limits *limits,
			   const struct armada_option_value *values);

/* cgroup1_usage.c */
int cgroup1_usage(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err);

#endif
