/*
 * The units that the scheduler gets: a job is a unit; a gang is one unit. A unit is added when its
 * last member is submitted, and removed when the last member has ended. Jobs are indices of the
 * scenario.
 */
#pragma once

#include "asim/rounds/state.h"

void units_submit(struct play *p, uint32_t job);
/* A job that runs at the beginning, on the node of the document. */
void units_start_running(struct play *p, uint32_t job);
/* The job is finished or cancelled, or its node was removed. */
void units_end(struct play *p, uint32_t job);
/* Remove the unit from the scheduler. Members of a gang that are still queued stay without one. */
void units_drop(struct play *p, uint32_t unit);
