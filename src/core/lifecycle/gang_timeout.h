/*
 * Gangs of jobs that wait too long for members that were not submitted.
 *
 * A gang that has been incomplete for scheduler.gang_timeout since its last member came is held, so that its
 * owner is told. The missing members release it. All gangs are looked at once a minute (more often if the
 * timeout is shorter), in O(gangs).
 */
#pragma once

#include "core/txn/txn.h"

/* Call at each tick. */
void gang_timeout_tick(struct txn *txn);
/* Call when a job was submitted: releases its gang if the job has made it whole. */
void gang_timeout_release(struct txn *txn, const struct job *j);
