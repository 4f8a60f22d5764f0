/*
 * The bounds of what users make the controller keep (limits in armada.conf).
 *
 * A bound is for one connection, for one user, or for the whole cluster. The last 2 % of a bound
 * for the whole cluster are kept for administrators, so that they can act while users have filled
 * the rest. Each check returns 0, or a negative errno with a sentence that has the numbers and the
 * option; the exit code of such a refusal is 75, because others' ends make room.
 */
#pragma once

#include "core/txn/txn.h"

enum { EXIT_FULL = 75 };

/* One more WAIT_JOB of this connection. O(1). */
int bounds_admit_wait(const struct txn *txn, struct err *err);
