/*
 * The devices that a task may open: those that every program needs, those that programs on clusters need,
 * those that the administrator names, and the task's own. All other devices are refused, such as the gpus of
 * other tasks.
 */
#pragma once

#include <armada/contain.h>

enum { DEVICES_ANY_MINOR = -1, DEVICES_MAX = 512 };

struct device_rule {
	bool block;
	uint32_t major;
	int64_t minor; /* DEVICES_ANY_MINOR */
};

struct device_rules {
	struct device_rule list[DEVICES_MAX];
	size_t count;
};

/* patterns: more devices for every task. -E2BIG: more than DEVICES_MAX devices. */
int devices_collect(const struct armada_contain_limits *limits, const char *const *patterns,
		    size_t pattern_count, struct device_rules *ret_rules);

/*
 * The rules as a BPF program, for cgroup2. devices_load returns a descriptor of the program, or a negative
 * errno; devices_attach attaches it to the group dir for the lifetime of the group, or until devices_detach.
 */
int devices_load(const struct device_rules *rules);
int devices_attach(int program, int dir);
int devices_detach(int program, int dir);
