/*
 * A job as the scheduler is told of it.
 */
#pragma once

#include "feed/internal.h"

/* As the scheduler is to know it; borrows from the spec and the feed's arena. */
void describe_job(struct sched_feed *m, const Armada__JobSubmitted *sub, int64_t submit_us,
		  struct sched_job *ret);
/* One group of it, as if that were all. */
void describe_group(struct sched_feed *m, const Armada__JobSubmitted *sub, size_t group,
		    int64_t submit_us, struct sched_job *ret);
