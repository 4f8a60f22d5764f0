/*
 * What mpirun needs in a job of several tasks: lists of hosts and variables that name them.
 */
#ifndef ARMD_SHEPHERD_HOSTS_H
#define ARMD_SHEPHERD_HOSTS_H

#include "armd/shepherd/state.h"

/* 0, or an error with why set. */
int shepherd_hosts(struct shepherd *s);

#endif
