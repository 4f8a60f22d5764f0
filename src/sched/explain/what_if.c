#include "sched/explain/what_if.h"

#include <assert.h>

/* Move the waiting elements of one record to another. */
static void hand_over(struct job *from, struct job *to)
{
	to->many = from->many;
	if (from->many) {
		to->set = from->set;
	} else {
		to->first = from->first;
		to->last = from->last;
	}
	from->many = false;
	from->first = 1;
	from->last = 0;
}

void what_if_begin(struct model *m, uint32_t job, const struct sched_job *as, struct what_if *ret)
{
	uint32_t subqueue = m->jobs.list[job].subqueue, at = m->subqueues.list[subqueue].at,
		 stand_in;
	struct job *j;

	assert(m->jobs.list[job].ready);
	jobs_count_demand(m, job, -1);
	subqueue_remove(m, job);
	stand_in = jobs_place(m);
	subqueue = subqueue_intern(m, subqueue_like(m, job, job_shape_intern(m, as)));
	m->subqueues.list[subqueue].jobs++;
	j = &m->jobs.list[stand_in];
	*j = m->jobs.list[job];
	hand_over(&m->jobs.list[job], j);
	j->subqueue = subqueue;
	j->grace_ms = jobs_grace_ms(as);
	j->lasts_us = jobs_time_taken(as);
	j->least_s = jobs_least_s(as);
	jobs_count_demand(m, stand_in, 1);
	subqueue_insert(m, stand_in);
	*ret = (struct what_if){job, stand_in, at};
}

/* The subqueue is listed last if it was taken off the list: move it back to its place. */
static void relist(struct model *m, uint32_t subqueue, uint32_t at)
{
	struct queue *q = &m->queues.list[m->subqueues.list[subqueue].queue];
	uint32_t from = m->subqueues.list[subqueue].at, other = q->subqueues[at];

	q->subqueues[at] = subqueue;
	q->subqueues[from] = other;
	m->subqueues.list[other].at = from;
	m->subqueues.list[subqueue].at = at;
}

void what_if_end(struct model *m, const struct what_if *swap)
{
	struct job *j = &m->jobs.list[swap->stand_in];
	uint32_t subqueue = j->subqueue;

	jobs_count_demand(m, swap->stand_in, -1);
	subqueue_remove(m, swap->stand_in);
	m->subqueues.list[subqueue].jobs--;
	subqueue_release(m, subqueue);
	hand_over(j, &m->jobs.list[swap->job]);
	*j = (struct job){.left = m->jobs.unused, .subqueue = NIL};
	m->jobs.unused = swap->stand_in;
	jobs_count_demand(m, swap->job, 1);
	subqueue_insert(m, swap->job);
	relist(m, m->jobs.list[swap->job].subqueue, swap->at);
}
