/*
 * Subqueues: the jobs of one queue with one shape, and of one user or account if a limit may delay
 * that one alone. The ready ones are a tree in queue order, in which each job has the shortest time limit of
 * its subtree.
 */
#pragma once

#include "sched/model/map.h"

struct model;

/* The owner of a subqueue whose jobs replace failed tasks of running elements. */
#define OWNER_REPLACEMENT (NIL - 1)

struct subqueue {
	uint32_t queue, shape;
	uint32_t owner; /* the queue user, if a limit may delay it alone; NIL, OWNER_REPLACEMENT */
	uint32_t payer; /* the account user, if a limit of its account may delay it alone; NIL */
	uint32_t
		elements; /* the number that limits count for each gang; 0: extra tasks of running jobs */
	uint32_t jobs; /* all of them, ready or not */
	uint32_t root; /* of the ready ones */
	uint32_t head; /* first of the ready ones */
	uint32_t at;   /* index in the queue's list of subqueues with a head */
	uint32_t
		loose; /* index in the loose ones of the queue's head_list; NIL: sorted, or no head */
	/* round: the position */
	uint32_t cursor; /* job */
	uint32_t taken;  /* elements of cursor */
	uint32_t range, next;
	uint32_t limited_round; /* a limit keeps its jobs from starting */
	uint32_t passed;        /* passed over by the order plugin: index in r->passed, from 1 */
};

struct subqueues {
	struct subqueue *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
};

/* The key of a subqueue. */
struct subqueue_name {
	uint32_t queue, shape, owner, payer, elements;
};
uint32_t subqueue_intern(struct model *m, struct subqueue_name name);
/* The key of the job's subqueue, with another shape. */
struct subqueue_name subqueue_like(const struct model *m, uint32_t job, uint32_t shape);
/* Divide the subqueues of this queue, or of all (NIL), again: limits now apply to other users. */
void subqueue_divide(struct model *m, uint32_t queue);
/* Moves the job, but not its running tasks. */
void subqueue_move(struct model *m, uint32_t job, struct subqueue_name name);
void subqueue_release(struct model *m, uint32_t subqueue);
void subqueue_insert(struct model *m, uint32_t job);
void subqueue_remove(struct model *m, uint32_t job);
/* The ready job after this one in its subqueue, or NIL. */
uint32_t subqueue_after(const struct model *m, uint32_t job);
/* The next job whose longest run time is at most this. */
uint32_t subqueue_after_within(const struct model *m, uint32_t job, int64_t max_us);
/* Queue order: class priority, turn of an extra task, job priority, submission, id. */
bool subqueue_job_before(const struct model *m, uint32_t a, uint32_t b);
