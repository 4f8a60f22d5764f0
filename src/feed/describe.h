/*
 * The description of a job for the scheduler.
 */
#pragma once

#include "feed/internal.h"

/* The description of the job. It borrows from the spec and from the arena of m. */
void describe_job(struct sched_feed *m, const Armada__JobSubmitted *sub, int64_t submit_us,
		  struct sched_job *ret);
/* The description of one group, as if the job had no other group. */
void describe_group(struct sched_feed *m, const Armada__JobSubmitted *sub, size_t group,
		    int64_t submit_us, struct sched_job *ret);
/*
 * Replaces the packed description of a job by a changed one, which does not say whose job it is: it has the
 * user of the old one. Returns it, in the arena of m.
 */
const Armada__JobSubmitted *describe_again(struct sched_feed *m,
					   const Armada__JobSubmitted *changed, struct buf *packed);
