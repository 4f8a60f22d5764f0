/*
 * Forks the children of a shepherd: the first process of the task, and the steps that run in it
 * later.
 */
#pragma once

#include "armd/shepherd/state.h"

/* 0, or an error with why set. */
int shepherd_fork(struct shepherd *s);
/*
 * Run an io stub in the task; payload_fd is borrowed. number: of the step, for its environment; NULL: it has
 * none. Returns the pid, negative if it could not be forked.
 */
pid_t shepherd_fork_step(const struct shepherd *s, int payload_fd, const uint32_t *number);
