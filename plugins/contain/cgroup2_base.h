/*
 * The group below which tasks have theirs.
 *
 * Option root names it. Else it is `armada`, beside the leaf `daemon` that armd is in, or at the top where
 * systemd rules: a unit's own group must be empty for systemd to start it again while tasks run on.
 */
#pragma once

#include <armada/contain.h>

/* A descriptor or a negative errno. */
int cgroup2_base_open(const struct armada_option_value *values, struct armada_error *err);
/*
 * In the launcher, once: make it, with every controller that tasks need handed down to it, and go into
 * a leaf if that needs it.
 */
int cgroup2_base_make(const struct armada_option_value *values, struct armada_error *err);
