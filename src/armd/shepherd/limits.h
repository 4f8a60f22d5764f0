/*
 * Limits (setrlimit) that a task requests and does not get.
 */
#pragma once

#include "armd/shepherd/state.h"

/* Logs them; never fails. */
int shepherd_limits(struct shepherd *s);
