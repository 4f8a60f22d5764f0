/*
 * Rules that must hold between inputs, checked from the state alone. For tests and the simulator.
 */
#pragma once

#include "core/txn/txn.h"

/* 0, or -EINVAL with the broken rule in err. O(state). */
int core_state_check(struct txn *txn, struct err *err);
