/* The limits and the usage of a task, in the files of its cgroup v2. */
#pragma once

#include "cgroup2.h"

int cgroup2_limits_set(struct handle *h, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values, struct armada_error *err);
/* The limits of all tasks of the group dir together. */
int cgroup2_limits_set_group(int dir, const struct armada_contain_limits *limits,
			     const struct armada_option_value *values, struct armada_error *err);
int cgroup2_usage(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err);
