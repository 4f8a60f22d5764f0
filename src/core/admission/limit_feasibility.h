/*
 * Refuses jobs that the limits of armada.conf would never let start, even on an empty cluster.
 *
 * The limits count everything that starts together at its full size, even if the job has a smaller
 * minimum.
 */
#pragma once

#include "core/admission/admission.h"

/*
 * The tasks of a job as members that are placed as one: their number, the request of each
 * (INT64_MAX: too large to count), and the number of tasks in each.
 */
void admit_gang(const struct admission *a, struct resources *ret_want, uint32_t *ret_members,
		uint32_t *ret_each);
/* 0, or a refusal: the limits would never let the job start. */
int admit_limits(struct admission *a);
/*
 * The same for a gang of jobs in the queue and class of a->spec. sum: the request of all members.
 */
int admit_limits_of(struct admission *a, const struct resources *sum, uint32_t members);
