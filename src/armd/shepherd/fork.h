/*
 * The children of a shepherd: the task's first process, and the steps that are run in it later.
 */
#pragma once

#include "armd/shepherd/state.h"

/* 0, or an error with why set. */
int shepherd_fork(struct shepherd *s);
/* Run the io stub in the task too; payload_fd is borrowed. */
void shepherd_fork_step(struct shepherd *s, int payload_fd);
