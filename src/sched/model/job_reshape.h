/*
 * A job with other demands: it gets another shape, and so another subqueue. Its waiting elements stay, and so
 * do its running tasks.
 */
#pragma once

#include "sched/sched.h"

struct constraint;
struct model;

/* A description that can be changed; it borrows from the job's shape, or from the given description. */
struct reshape {
	struct sched_job as;
	struct sched_job *parts;       /* of as, owned; NULL: none */
	struct sched_selector **lists; /* owned */
	size_t list_count;
};

void job_reshape_begin(const struct model *m, uint32_t job, struct reshape *ret);
/* A copy of the description. */
void job_reshape_copy(const struct sched_job *job, struct reshape *ret);
/* Replaces the selectors of the queue. wants: what it selects now; NULL: nothing. */
void job_reshape_for_queue(struct reshape *r, const struct constraint *wants);
/* Moves the job to the subqueue of the changed description. */
void job_reshape_apply(struct model *m, uint32_t job, const struct reshape *r);
void job_reshape_done(struct reshape *r);
