/*
 * Standard input of the tasks: read from ours while somebody wants it.
 */
#ifndef CMD_ARUN_INPUT_H
#define CMD_ARUN_INPUT_H

#include "cmd/arun/run.h"

bool input_wanted(struct run *r);
void input_read(struct run *r);

#endif
