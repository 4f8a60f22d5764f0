/* Types that the files of contain/cgroup1 share: the controllers, and the groups of one task. */
#pragma once

#include "cgroup.h"
#include "peak.h"

#include <signal.h>

enum { FREEZER, MEMORY, CPUSET, CPU, PIDS, DEVICES, CPUACCT, BLKIO, CONTROLLERS };

struct handle {
	char name[256];
	char group[256];         /* of several tasks, in which this one is; "": none */
	int parent[CONTROLLERS]; /* -1: not mounted, or the same hierarchy as one before */
	int dir[CONTROLLERS];    /* the task's group there */
	int with[CONTROLLERS]; /* index in dir of the controller's hierarchy: its own, or an earlier one */
	int event, oom_control; /* event becomes readable when memory runs out */
	bool oom_seen;
	struct peak peak;
	pid_t leader;
};
