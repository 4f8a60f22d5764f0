/*
 * Drops all capabilities of this process. A process that root forks for another user keeps none.
 */
#pragma once

#include "util/err.h"

/*
 * As root: clear the bounding set, so that no program can gain a capability, and the securebits, so
 * that none is kept over a change of uid. The second function verifies this.
 */
int capability_clear_bounding_set(struct err *err);
int capability_bounding_set_is_empty(struct err *err);

/*
 * After the change of uid: clear the permitted, effective, inheritable and ambient sets. The second
 * function verifies this.
 */
int capability_drop(struct err *err);
int capability_is_dropped(struct err *err);
