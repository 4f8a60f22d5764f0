/* What the files of contain/cgroup1 share: the controllers, and one task's groups. */
#pragma once

#include "cgroup.h"

#include <signal.h>

enum { FREEZER, MEMORY, CPUSET, CPU, PIDS, DEVICES, CPUACCT, BLKIO, CONTROLLERS };

struct handle {
	char name[256];
	int parent[CONTROLLERS]; /* -1: not mounted, or the same hierarchy as one before */
	int dir[CONTROLLERS];    /* the task's group there */
	int with[CONTROLLERS]; /* which entry of dir holds the controller: its own, or one before */
	int event, oom_control; /* told when memory runs out */
	bool oom_seen;
	pid_t leader;
};
