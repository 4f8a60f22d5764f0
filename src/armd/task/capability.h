/*
 * The capabilities of this process, all of them or none: only root has any use for them here, and what
 * root forks for others is to keep nothing (S7).
 */
#pragma once

#include "util/err.h"

/*
 * While still root: no program gives any again (the bounding set), and no securebit keeps them over a
 * change of uid. And whether that is so.
 */
int capability_clear_bounding_set(struct err *err);
int capability_bounding_set_is_empty(struct err *err);

/* Afterwards: nothing permitted, effective, inheritable or ambient. And whether that is so. */
int capability_drop(struct err *err);
int capability_is_dropped(struct err *err);
