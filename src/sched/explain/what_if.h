/*
 * A waiting job as it might have been submitted, for the length of a round that does not count.
 */
#pragma once

#include "sched/model/model.h"

struct what_if {
	uint32_t job, stand_in;
	uint32_t at; /* of its subqueue in the list of its queue */
};

/*
 * Another record, with the same id and place in line, waits in its stead and asks for what `as`
 * says. The job must be ready. what_if_end undoes it: the order of subqueues and jobs is as it was.
 */
void what_if_begin(struct model *m, uint32_t job, const struct sched_job *as, struct what_if *ret);
void what_if_end(struct model *m, const struct what_if *swap);
