/*
 * Checks whether a pending job would start in the next round if it were submitted with other
 * values.
 *
 * Each check runs in a child process, so that the world does not change.
 */
#pragma once

#include "unit/sched/random_world.h"

/* A changed job, with the arrays that it points to. */
struct resubmit_job {
	struct sched_job in;
	struct sched_selector selectors[2];
	struct sched_toleration tolerations[3];
};

/* Makes the changed job. */
void resubmit_change(const struct random_world *w, int job, const struct sched_change *c,
		     struct resubmit_job *ret);
bool resubmit_starts(struct random_world *w, int job, const struct sched_job *as);
/*
 * Whether no simple change that is smaller than the named one starts the job. Adds the number of
 * tries to tried.
 */
bool resubmit_smallest(struct random_world *w, int job, const struct sched_change *named,
		       unsigned *tried);
