/*
 * The parent group of the groups of tasks.
 *
 * The option root names it. Otherwise it is `armada`, beside the leaf `daemon` that armd is in. Under
 * systemd without DelegateSubgroup it is `armada` at the top of the hierarchy: systemd can restart a unit
 * while tasks run only if the unit's own group is empty. An armd that was started by hand, in a group that
 * holds other processes or lacks controllers, has /armada/daemon and /armada/armada at the top.
 */
#pragma once

#include <armada/contain.h>

/* A descriptor or a negative errno. */
int cgroup2_base_open(const struct armada_option_value *values, struct armada_error *err);
/* Give the groups below dir the controllers that the groups below base have. 0 or a negative errno. */
int cgroup2_base_pass_on(int base, int dir);
/*
 * Called once, in the launcher: make the group, delegate every controller that tasks need to it, and enter
 * a leaf group if that is necessary.
 */
int cgroup2_base_make(const struct armada_option_value *values, struct armada_error *err);
