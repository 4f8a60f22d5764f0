/*
 * Everything of a task that is done before its fork, and the fork.
 */
#pragma once

#include "armd/shepherd/state.h"

/* 0, or an error with why set, and cause where one is known. */
int shepherd_setup(struct shepherd *s);
