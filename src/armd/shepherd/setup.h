/*
 * Prepares a task and forks it.
 */
#pragma once

#include "armd/shepherd/state.h"

/* 0, or an error with why set, and cause where one is known. */
int shepherd_setup(struct shepherd *s);
