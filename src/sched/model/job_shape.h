/*
 * Job shapes: all that the placement of a gang depends on. Jobs with one shape fit or do not fit
 * together.
 *
 * A shape is interned: class, request, members, distinct, exclusive, keeper and constraint are compared in
 * full. It is kept while subqueues or other shapes use it. A gang whose members are not alike has
 * parts, each a shape of its own.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"

struct constraint;
struct model;
struct node_class_set;

struct job_shape {
	struct constraint *constraint; /* NULL: none */
	/* shapes of members that are not alike; NULL: all are alike */
	uint32_t *parts;
	/* of the gang, with its licenses; NULL: it has one member, whose request is the sum */
	int64_t *sum;
	int64_t *licenses;      /* of floating resources, for the whole gang; NULL: none */
	uint64_t blocked_epoch; /* it did not fit at this epoch */
	uint32_t members, min_members, part_count;
	uint32_t users;         /* references from subqueues and shapes */
	uint32_t reason_epoch;  /* the epoch when its reason was computed */
	uint32_t blocked_round; /* the last round in which it did not fit */
	uint32_t delayed_round; /* round: it fits, but would delay the reservation */
	uint32_t reason;        /* round: index of its reason in the reasons of the round */
	uint32_t keeper;        /* from users_keeper(): its user, if that one may keep nodes; 0 */
	uint16_t class;
	uint16_t top;      /* the highest level of a member */
	bool fair, urgent; /* every member may be displaced for fair share, for urgency */
	bool distinct, exclusive;
	bool exclusive_user; /* its nodes are kept for its user */
	bool scavenge;       /* its class is that of jobs that scavenge */
};

struct job_shapes {
	struct job_shape *list;
	int64_t *requests; /* rows: of one member */
	size_t count, cap, request_cap;
	uint32_t unused;
	struct map map;
};

uint32_t job_shape_intern(struct model *m, const struct sched_job *job);
void job_shape_release(struct model *m, uint32_t shape);
/* The contents of the shape as a job, without its parts. Borrowed from the shape. */
void job_shape_describe(const struct model *m, uint32_t shape, struct sched_job *ret);
/* The node classes that its members may use; borrowed until a class is added. */
const struct node_class_set *job_shape_classes(struct model *m, uint32_t shape);
/* Its parts; the shape itself if all members are alike. */
const uint32_t *job_shape_parts(const struct model *m, const uint32_t *shape, uint32_t *ret_count);
/* The highest level at which a member of this part of the gang counts on its node. */
uint32_t job_shape_cutoff(const struct model *m, uint32_t shape, uint32_t part);
/* The part of a member, for a shape with parts. */
uint32_t job_shape_find_part(const struct model *m, uint32_t shape, uint32_t member);
/* The least number of members of this part of the gang; 0: only the gang as a whole has a minimum. */
uint32_t job_shape_part_least(const struct model *m, uint32_t shape, uint32_t part);
/* Computes its sums, and whether it may be displaced, from its parts and their classes. */
void job_shape_complete(struct model *m, uint32_t shape);
void job_shape_done(struct job_shape *k);
