#include "sched/swap.h"
#include "sched/ends.h"

#include <assert.h>
#include <string.h>

void swap_describe(const struct sched *s, uint32_t job, struct sched_job *ret)
{
	const struct job *j = &s->jobs[job];
	const struct lane *l = &s->lanes[j->lane];

	key_describe(s, l->key, ret);
	ret->id = j->id;
	ret->queue = s->queues[l->queue].name;
	ret->priority = j->priority;
	ret->submit_us = j->submit_us;
	ret->time_limit_us = j->lasts_us ? j->lasts_us - j->grace_ms * INT64_C(1000) : 0;
	ret->grace_us = j->grace_ms * INT64_C(1000);
	ret->throttle = j->throttle;
	ret->tasks_per_member = j->tasks_each;
}

/* The waiting elements of one record go to another. */
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

void swap_in(struct sched *s, uint32_t job, const struct sched_job *as, struct swap *ret)
{
	uint32_t lane = s->jobs[job].lane, at = s->lanes[lane].at, stand_in;
	struct job *j;

	assert(s->jobs[job].ready);
	job_count_demand(s, job, -1);
	lane_remove(s, job);
	stand_in = job_place(s);
	lane = lane_intern(s, lane_like(s, job, key_intern(s, as)));
	s->lanes[lane].jobs++;
	j = &s->jobs[stand_in];
	*j = s->jobs[job];
	hand_over(&s->jobs[job], j);
	j->lane = lane;
	j->grace_ms = grace_ms(as);
	j->lasts_us = time_taken(as);
	job_count_demand(s, stand_in, 1);
	lane_insert(s, stand_in);
	*ret = (struct swap){job, stand_in, at};
}

/* The lane is listed last, if it was taken off the list; back to where it was. */
static void relist(struct sched *s, uint32_t lane, uint32_t at)
{
	struct queue *q = &s->queues[s->lanes[lane].queue];
	uint32_t from = s->lanes[lane].at, other = q->lanes[at];

	q->lanes[at] = lane;
	q->lanes[from] = other;
	s->lanes[other].at = from;
	s->lanes[lane].at = at;
}

void swap_out(struct sched *s, const struct swap *swap)
{
	struct job *j = &s->jobs[swap->stand_in];
	uint32_t lane = j->lane;

	job_count_demand(s, swap->stand_in, -1);
	lane_remove(s, swap->stand_in);
	s->lanes[lane].jobs--;
	lane_release(s, lane);
	hand_over(j, &s->jobs[swap->job]);
	*j = (struct job){.left = s->job_free, .lane = NIL};
	s->job_free = swap->stand_in;
	job_count_demand(s, swap->job, 1);
	lane_insert(s, swap->job);
	relist(s, s->jobs[swap->job].lane, swap->at);
}
