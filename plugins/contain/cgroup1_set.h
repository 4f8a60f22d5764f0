/*
 * Writing the limits of a task to the files of each controller of cgroup v1.
 *
 * Each function sets the limits of its controller in the task's group dir. 0 or a negative errno.
 */
#pragma once

#include <armada/contain.h>

int cgroup1_set_memory(int dir, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values);
int cgroup1_set_cpuset(int dir, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values);
int cgroup1_set_cpu(int dir, const struct armada_contain_limits *limits,
		    const struct armada_option_value *values);
int cgroup1_set_pids(int dir, const struct armada_contain_limits *limits,
		     const struct armada_option_value *values);
int cgroup1_set_devices(int dir, const struct armada_contain_limits *limits,
			const struct armada_option_value *values);
