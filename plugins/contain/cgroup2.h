/* What the files of contain/cgroup2 share: where tasks' groups are, and one task's group. */
#pragma once

#include "cgroup.h"

#include <signal.h>

struct handle {
	char name[256];
	int base;           /* the group of all tasks' groups */
	int dir;            /* the task's own */
	int64_t peak_bytes; /* most memory seen, where the kernel does not keep the peak itself */
	pid_t leader;
};

#define cgroup2_fail(err, code, ...) cgroup_fail(err, code, "cgroup2", __VA_ARGS__)
