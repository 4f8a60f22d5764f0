/*
 * Kill orders before the task's fork.
 */
#pragma once

#include "armd/shepherd/state.h"

/* A task that is killed before its fork is not started. 0, or an error with why and cause set. */
int shepherd_cancelled(struct shepherd *s, const char *when);
