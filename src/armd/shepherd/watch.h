/*
 * The loop of a shepherd, from the fork until nothing of the task is left.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_watch(struct shepherd *s);
