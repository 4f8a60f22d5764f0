/*
 * The totals of floating resources.
 */
#pragma once

#include "sched/sched.h"

/*
 * A floating resource, by its index: how many the cluster has, and how many of them others use. Below the
 * present use nothing is ended, and nothing starts.
 */
void sched_floating_set(struct sched *s, size_t resource, int64_t total, int64_t outside);
