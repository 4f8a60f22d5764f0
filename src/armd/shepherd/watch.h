/*
 * The loop of a shepherd, from the fork until nothing of the task is left.
 */
#ifndef ARMD_SHEPHERD_WATCH_H
#define ARMD_SHEPHERD_WATCH_H

#include "armd/shepherd/state.h"

void shepherd_watch(struct shepherd *s);

#endif
