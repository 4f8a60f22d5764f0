/*
 * A waiting job submitted otherwise: does it start in the next round?
 *
 * Each trial is a process of its own, so that the world stays as it is.
 */
#pragma once

#include "unit/sched/asked.h"

/* A job as it would be, with room for what differs. */
struct trial {
	struct sched_job in;
	struct sched_selector selectors[2];
	struct sched_toleration tolerations[3];
};

/* The job with the change made. */
void trial_apply(const struct asked *w, int job, const struct sched_change *c, struct trial *ret);
bool trial_starts(struct asked *w, int job, const struct sched_job *as);
/* No simple change that is smaller than what was named starts it; counts those that it tries. */
bool trial_smallest(struct asked *w, int job, const struct sched_change *named, unsigned *tried);
