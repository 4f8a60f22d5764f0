/*
 * The random worlds of preempt_worlds and reserve_worlds: small nodes in racks, and jobs whose
 * members are equal.
 *
 * The random draws must not be changed, because kept seeds depend on them.
 */
#pragma once

#include "unit/sched/contest.h"

enum {
	SMALL_WORLD_NODES = 6,
	SMALL_WORLD_QUEUES = 3,
	SMALL_WORLD_JOBS = 60,
	SMALL_WORLD_ROUNDS = 8,
	SMALL_WORLD_WORLDS = 300
};

/*
 * A function of the caller that completes the shape of a job whose request and number of members
 * are drawn.
 */
typedef void small_world_shape_fn(struct contest *c, struct ref_shape *s);

/* Set the classes in c->w, before contest_open(), and the nodes, after it. */
void small_world_classes(struct contest *c);
void small_world_nodes(struct contest *c);
/*
 * Draws the next job up to its submit time, and does not report it; NULL: there are enough. own may
 * be NULL.
 */
struct ref_job *small_world_job(struct contest *c, small_world_shape_fn *own);
/* Sets some nodes up or down, then submits some jobs. */
void small_world_change(struct contest *c, void (*submit)(struct contest *c));
/* Sets queues without limits and with different factors; calls own, if it is not NULL, for each. */
void small_world_queues(struct contest *c, void (*own)(struct contest *c, struct ref_queue *q));
