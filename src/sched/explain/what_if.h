/*
 * A waiting job with another request, for the length of a dry run.
 */
#pragma once

#include "sched/model/model.h"

struct what_if {
	uint32_t job, stand_in;
	uint32_t at; /* index of its subqueue in the list of its queue */
};

/*
 * Another record, with the same id and the same place in the queue, replaces the job and asks for
 * `as`. The job must be ready. what_if_end reverts it, with the order of subqueues and jobs.
 */
void what_if_begin(struct model *m, uint32_t job, const struct sched_job *as, struct what_if *ret);
void what_if_end(struct model *m, const struct what_if *swap);
