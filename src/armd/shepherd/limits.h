/*
 * Limits (setrlimit) that a task asks for and does not get.
 */
#ifndef ARMD_SHEPHERD_LIMITS_H
#define ARMD_SHEPHERD_LIMITS_H

#include "armd/shepherd/state.h"

/* Says so in the log of armd; never fails. */
int shepherd_limits(struct shepherd *s);

#endif
