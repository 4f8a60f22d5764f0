/* Types that the files of contain/cgroup2 share: the parent group of all tasks, and the group of one. */
#pragma once

#include "cgroup.h"
#include "peak.h"

#include <signal.h>

struct handle {
	char name[256];
	char group[256]; /* of several tasks, in which this one is; "": none */
	int base;        /* the parent of all tasks' groups, or that group */
	int dir;         /* the task's own group */
	int filter;      /* the program of its devices; -1: none */
	struct peak peak;
	pid_t leader;
};

#define cgroup2_fail(err, code, ...) cgroup_fail(err, code, "cgroup2", __VA_ARGS__)
