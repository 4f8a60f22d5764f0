/*
 * The earliest time at which a gang would have room if all that runs went on to its limit.
 */
#pragma once

#include "sched/backfill/plan.h"

/*
 * The earliest start, and of equals the first value. INT64_MAX: never; NOW: there is room already.
 */
int64_t earliest_start(const struct forecast *q, uint32_t *ret_value, struct plan *p);
