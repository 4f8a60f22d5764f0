/*
 * What must hold between inputs, checked from the state alone. For tests and the simulator.
 */
#pragma once

#include "core/txn/txn.h"

/* 0, or -EINVAL with the breach in err. O(the state). */
int core_state_check(struct txn *txn, struct err *err);
