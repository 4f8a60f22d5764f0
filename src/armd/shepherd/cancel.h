/*
 * Kill orders before the task's fork.
 */
#pragma once

#include "armd/shepherd/state.h"

/* A task that was told to end before its fork does not begin. 0, or an error with why and cause set. */
int shepherd_cancelled(struct shepherd *s, const char *when);
