/*
 * The devices that a task may open: what every program needs, what programs on clusters need, what the
 * administrator names, and the task's own. Everything else is refused, a gpu of another task above all.
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

/* patterns: more devices for every task. -E2BIG: there are more than DEVICES_MAX. */
int devices_collect(const struct armada_contain_limits *limits, const char *const *patterns,
		    size_t pattern_count, struct device_rules *ret_rules);

/*
 * As a program of the kernel's, for cgroup2. devices_load returns a descriptor of the program, or a
 * negative errno; devices_attach lets it decide for the group dir, for as long as that lives.
 */
int devices_load(const struct device_rules *rules);
int devices_attach(int program, int dir);
