/*
 * A waiting job as it might have been submitted, for the length of a round that does not count.
 * Private to src/sched.
 */
#ifndef SCHED_SWAP_H
#define SCHED_SWAP_H

#include "sched/parts.h"

struct swap {
	uint32_t job, stand_in;
	uint32_t at; /* of its lane in the list of its queue */
};

/* What the job asks for; arrays are borrowed from its key. */
void swap_describe(const struct sched *s, uint32_t job, struct sched_job *ret);
/*
 * Another record, with the same id and place in line, waits in its stead and asks for what `as`
 * says. The job must be ready. swap_out undoes it: the order of lanes and jobs is as it was.
 */
void swap_in(struct sched *s, uint32_t job, const struct sched_job *as, struct swap *ret);
void swap_out(struct sched *s, const struct swap *swap);

#endif
