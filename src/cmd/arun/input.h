/*
 * Standard input of the tasks: read from ours while somebody wants it.
 */
#pragma once

#include "cmd/arun/run.h"

bool input_wanted(struct run *r);
void input_read(struct run *r);
