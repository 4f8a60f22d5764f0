/*
 * Limits (setrlimit) that a task asks for and does not get.
 */
#pragma once

#include "armd/shepherd/state.h"

/* Says so in the log of armd; never fails. */
int shepherd_limits(struct shepherd *s);
