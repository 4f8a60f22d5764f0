/*
 * The running elements and their nodes. They count in the use of their nodes, their queue and their
 * user.
 */
#pragma once

#include "sched/model/map.h"

#include <stdbool.h>

struct model;
struct sched_job;

/* One cache line. */
struct task {
	uint32_t job, element, subqueue;
	uint32_t count;
	uint32_t one;      /* the node, if count is 1; NIL: the member does not run */
	uint32_t elements; /* the number that limits count for it */
	uint32_t *many;    /* nodes, if count is more */
	/* of members that yielded, and count under limits until the end; NULL: none */
	int64_t *yielded_use;
	int64_t *licenses; /* what it holds of floating resources; NULL: nothing */
	int64_t start_us;
	uint32_t holder;       /* if it has licenses: its place in the list of holders */
	uint32_t pinned : 1;   /* counts like a task that may not be displaced */
	uint32_t limit_s : 31; /* its time limit, lower than that of its job; 0: that of the job */
};

struct tasks {
	struct task *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	uint32_t *serials; /* by place: the number of tasks that ended there */
	uint64_t *born;    /* by place: the value of opened when the present task began */
	uint64_t opened;   /* the number of tasks that ever began */
	size_t serials_cap, born_cap;
};

/* Its nodes, one for each member; NIL: the member does not run. */
static inline uint32_t *tasks_nodes(const struct task *t)
{
	return t->many ? t->many : (uint32_t *)&t->one;
}

/* The task of the element; of a gang of jobs, that of any of its jobs. NIL: it does not run. */
uint32_t tasks_of_element(const struct model *m, uint64_t job, uint32_t element);
/* A new task without nodes; tasks_begin, once the caller has set them. */
struct task *tasks_open(struct model *m, uint32_t job, uint32_t element, int64_t start_us);
void tasks_begin(struct model *m, struct task *t);
void tasks_end(struct model *m, struct task *t);
/* As the calls of sched.h with these names. */
void tasks_started(struct model *m, struct task *t, int64_t start_us);
void tasks_pin(struct model *m, struct task *t, bool pinned);
void tasks_limit(struct model *m, struct task *t, int64_t limit_us);
void tasks_end_member(struct model *m, struct task *t, uint32_t member);
void tasks_yield_member(struct model *m, struct task *t, uint32_t member);
/* Set the number of elements that limits count for the task. */
void tasks_set_elements(struct model *m, struct task *t, uint32_t elements);
/* Add all running elements to the levels of their nodes, which were made anew. */
void tasks_count_at_levels(struct model *m);
/*
 * Move the job to another subqueue of its queue, with its running elements. O(tasks) if there are
 * any.
 */
void tasks_change_subqueue(struct model *m, uint32_t job, uint32_t subqueue);
/*
 * The user's running members cease (-1) to count on their nodes, or count (1) again, with the present shapes
 * of their jobs. O(tasks).
 */
void tasks_count_for_user(struct model *m, uint32_t user, int sign);
/* Set the time limit and the grace period of a job, some of whose elements run. O(tasks) if they change. */
void tasks_change_times(struct model *m, uint32_t job, const struct sched_job *in);
