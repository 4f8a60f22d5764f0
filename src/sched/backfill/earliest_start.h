/*
 * The earliest time at which a gang would have room if all running tasks use their whole time
 * limits.
 */
#pragma once

#include "sched/backfill/plan.h"

/*
 * The earliest start; of several values with the same start the first. INT64_MAX: never; NOW: there
 * is room already.
 */
int64_t earliest_start(const struct forecast *q, uint32_t *ret_value, struct plan *p);
