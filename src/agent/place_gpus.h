/*
 * Gpus near together, and near cpus.
 */
#pragma once

#include "agent/place_search.h"

/* Into p, near together, and near so many of cpus if that can be. Or -ENOSPC. */
int place_pick_gpus(struct place_search *s, size_t want, const struct place_set *cpus,
		    size_t want_cpus, struct place *p);
