/*
 * What `contests` and `reserves` draw alike: small nodes in racks, jobs of one kind of member.
 *
 * Both have kept seeds, or stand for them: no draw here is ever changed, added or left out.
 */
#pragma once

#include "unit/sched/contest.h"

enum { PLAIN_NODES = 6, PLAIN_QUEUES = 3, PLAIN_JOBS = 60, PLAIN_ROUNDS = 8, PLAIN_WORLDS = 300 };

/* Of the caller: what is particular to its jobs, once their part and number of members are drawn. */
typedef void plain_shape_fn(struct contest *c, struct ref_shape *s);

/* The classes go into c->w before contest_open, the nodes after it. */
void plain_classes(struct contest *c);
void plain_nodes(struct contest *c);
/* The next job up to its submit time, not told yet; NULL: there are enough. own may be NULL. */
struct ref_job *plain_job(struct contest *c, plain_shape_fn *own);
/* Some nodes go up or down, then some jobs are submitted. */
void plain_change(struct contest *c, void (*submit)(struct contest *c));
/* Queues without limits, each of another factor; own (or NULL) for each that is used. */
void plain_queues(struct contest *c, void (*own)(struct contest *c, struct ref_queue *q));
