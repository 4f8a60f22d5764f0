/*
 * The jobs: their waiting elements, their requests, and whether they are ready. Ready jobs are in
 * their subqueues (subqueue.h).
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/amounts.h"
#include "sched/model/map.h"
#include "util/rangeset.h"

struct gang_member;
struct model;

struct job {
	uint64_t id;
	/* lasts_us: the longest run time, with grace; 0: unlimited */
	int64_t priority, submit_us, lasts_us;
	union {
		struct rangeset *set; /* waiting elements, if they are several ranges */
		struct {
			uint32_t first, last; /* otherwise; first > last: none waits */
		};
	};
	union {
		struct {
			uint32_t left, right, up; /* in the tree of ready jobs */
			uint32_t
				shortest; /* in its subtree, by jobs_least_us(); NIL: all are unlimited */
		};
		struct gang_member *member; /* of a gang, if is_member: it is never ready */
	};
	uint32_t subqueue;
	uint32_t queue_user;   /* NIL: no user */
	uint32_t account_user; /* NIL: no account */
	uint32_t grace_ms;
	uint32_t running, throttle;
	uint32_t least_s; /* the least time limit with which it may start; 0: its own */
	/*
	 * 1, 2 ...: an extra task of a running job, the first, the second ... of that job. It gets room
	 * that is left when all other jobs were tried, displaces nobody, and is displaced first. 0: another
	 * job.
	 */
	uint32_t turn;
	uint32_t reason;     /* hash of the last emitted reason (round/reason_emit.h); 0: none */
	uint16_t tasks_each; /* of a member; UINT16_MAX: that many or more */
	bool many : 1;       /* set is in use */
	bool is_member : 1;
	bool held : 1, ready : 1, noted : 1;
};

/*
 * True if the job replaces a task of a running element, whose resources are counted all the time. An extra
 * task counts while it runs.
 */
static inline bool jobs_replaces(uint64_t id, uint32_t turn)
{
	return (id & SCHED_TASK_IDS) && !turn;
}

struct jobs {
	struct job *list;
	size_t count, cap;
	uint32_t unused;
	uint32_t extras; /* jobs with a turn */
	struct map map;
	uint32_t *notes; /* jobs that need a reason in the next round */
	size_t note_count, note_cap;
};

uint32_t jobs_with_id(const struct model *m, uint64_t id);
/* NULL: the job is not in a gang, or there is no job. */
struct gang_member *jobs_member(const struct model *m, uint32_t job);
uint32_t jobs_place(struct model *m); /* a free record, its contents undefined */
/* Add and remove a record without an entry in the map. */
uint32_t jobs_add(struct model *m, const struct sched_job *in);
void jobs_remove(struct model *m, uint32_t job);
void jobs_hold(struct model *m, uint32_t job, bool held);
uint64_t jobs_waiting(const struct job *j);
/* The waiting range number i; false: there is none. */
bool jobs_range(const struct job *j, uint32_t i, struct range *ret_range);
void jobs_settle(struct model *m, uint32_t job); /* after a change: in or out of its subqueue */
void jobs_wait(struct model *m, uint32_t job, uint32_t first, uint32_t last, uint32_t step);
void jobs_unwait(struct model *m, uint32_t job, uint32_t first, uint32_t last);
/* Add (1) or subtract (-1) the request of the job's waiting elements to the demand of its queue. */
void jobs_count_demand(struct model *m, uint32_t job, int sign);
/* The request of the job; arrays are borrowed from its shape. */
void jobs_describe(const struct model *m, uint32_t job, struct sched_job *ret);

/* The time that it may take to end, rounded up: 32 bits are enough for seven weeks. */
static inline uint32_t jobs_grace_ms(const struct sched_job *j)
{
	int64_t ms = j->grace_us / 1000 + (j->grace_us % 1000 > 0);

	return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* The longest time for which its resources are taken; 0: unlimited. */
static inline int64_t jobs_time_taken(const struct sched_job *j)
{
	return j->time_limit_us ? amounts_add(j->time_limit_us, (int64_t)jobs_grace_ms(j) * 1000)
				: 0;
}

static inline uint32_t jobs_least_s(const struct sched_job *j)
{
	int64_t s = j->time_min_us / 1000000;

	return s < UINT32_MAX / 2 ? (uint32_t)s : UINT32_MAX / 2;
}

/* The time for which its resources are taken with this time limit. */
static inline int64_t jobs_lasts_with(const struct job *j, int64_t limit_us)
{
	return amounts_add(limit_us, j->grace_ms * INT64_C(1000));
}

/* The same with the least time limit with which it may start; 0: unlimited. */
static inline int64_t jobs_least_us(const struct job *j)
{
	int64_t least_us = j->least_s ? jobs_lasts_with(j, j->least_s * INT64_C(1000000)) : 0;

	return least_us && (!j->lasts_us || least_us < j->lasts_us) ? least_us : j->lasts_us;
}
