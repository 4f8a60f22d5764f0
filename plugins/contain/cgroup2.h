/* Types that the files of contain/cgroup2 share: the parent group of all tasks, and the group of one. */
#pragma once

#include "cgroup.h"
#include "peak.h"

#include <signal.h>

struct handle {
	char name[256];
	int base; /* the parent of all tasks' groups */
	int dir;  /* the task's own group */
	struct peak peak;
	pid_t leader;
};

#define cgroup2_fail(err, code, ...) cgroup_fail(err, code, "cgroup2", __VA_ARGS__)
