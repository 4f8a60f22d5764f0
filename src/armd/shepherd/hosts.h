/*
 * What mpirun needs in a job of several tasks: lists of hosts and variables that name them.
 */
#pragma once

#include "armd/shepherd/state.h"

/* 0, or an error with why set. */
int shepherd_hosts(struct shepherd *s);
