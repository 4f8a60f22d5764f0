/*
 * Chooses gpus near each other, and near free cpus.
 */
#pragma once

#include "agent/place_search.h"

/* Choose want gpus into p, near each other, and near want_cpus of cpus if possible. Or -ENOSPC. */
int place_pick_gpus(struct place_search *s, size_t want, const struct place_set *cpus,
		    size_t want_cpus, struct place *p);
