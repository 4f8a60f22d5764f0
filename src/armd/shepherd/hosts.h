/*
 * Files and variables that mpirun needs in a job of several tasks.
 */
#pragma once

#include "armd/shepherd/state.h"

/* 0, or an error with why set. */
int shepherd_hosts(struct shepherd *s);
