/*
 * The units of jobs that the scheduler is told of: they are made when the last member of a gang is
 * submitted, and they go when the last one has ended. Jobs are indices of the scenario.
 */
#pragma once

#include "asim/rounds/state.h"

void units_submit(struct play *p, uint32_t job);
/* A job that runs at the beginning, on the node that the document says. */
void units_start_running(struct play *p, uint32_t job);
/* The job is finished or cancelled, or its node was removed. */
void units_end(struct play *p, uint32_t job);
/* The scheduler forgets the unit. Members of a gang that are still queued stay without one. */
void units_drop(struct play *p, uint32_t unit);
