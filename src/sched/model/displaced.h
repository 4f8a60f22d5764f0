/*
 * For whom waiting elements were displaced: such an element does not displace that one for fair share
 * as long as it runs.
 *
 * Without this rule two elements could displace each other in turn for ever: what an element takes
 * from a queue by urgency counts in the cost of that queue only while it runs. The memory lasts from
 * the displacement until the element starts again, its job is removed, or the other one has ended.
 */
#pragma once

#include <stdint.h>

struct displaced_job;
struct model;

struct displaced {
	struct displaced_job *jobs; /* hash table; NULL: none */
};

/*
 * The running task for which the element was displaced; NIL: none, or it has ended. Of a gang of jobs the
 * element is that of any of its jobs. O(log of the job's displaced elements).
 */
uint32_t displaced_task_of(struct model *m, uint64_t job, uint32_t element);
/* The element starts. */
void displaced_forget(struct model *m, uint64_t job, uint32_t element);
/* The job is removed. */
void displaced_forget_job(struct model *m, uint64_t job);
void displaced_done(struct model *m);
