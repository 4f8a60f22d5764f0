/*
 * Writes the exit record and cleans up after the task.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_end(struct shepherd *s);
