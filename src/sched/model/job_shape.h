/*
 * Job shapes: what placing a gang depends on. Jobs with one shape fit or do not fit together.
 *
 * A shape is interned: class, request, members, distinct, exclusive and constraint are compared in full.
 * It is kept while subqueues or other shapes use it. A gang whose members are not alike has parts, each a
 * shape of its own.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"

struct constraint;
struct model;
struct node_class_set;

struct job_shape {
	struct constraint *constraint; /* NULL: none */
	uint32_t *parts;               /* shapes of members that are not alike; NULL: all are */
	int64_t *sum;                  /* of all members; NULL: there is one, and its request is */
	uint64_t blocked_epoch;        /* did not fit when this was the epoch */
	uint32_t members, min_members, part_count;
	uint32_t users;         /* subqueues and shapes */
	uint32_t told;          /* the epoch when its reason was worked out */
	uint32_t blocked_round; /* round: does not fit any more */
	uint32_t held_round;    /* round: fits, but only for as long as the reservation lets it */
	uint32_t reason;        /* round: why, in the reasons of the round */
	uint16_t class;
	uint16_t top;      /* the highest level of a member */
	bool fair, urgent; /* every member may be displaced so */
	bool distinct, exclusive;
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
/* What is in the shape, as it was given, but for its parts. Borrowed from it. */
void job_shape_describe(const struct model *m, uint32_t shape, struct sched_job *ret);
/* Which classes of node its members may use; borrowed until classes come. */
const struct node_class_set *job_shape_classes(struct model *m, uint32_t shape);
/* Its parts: itself when all members are alike. */
const uint32_t *job_shape_parts(const struct model *m, const uint32_t *shape, uint32_t *ret_count);
/* Up to which level a member of this part of the gang weighs on its node. */
uint32_t job_shape_cutoff(const struct model *m, uint32_t shape, uint32_t part);
/* The part that a member belongs to, of a shape that has parts. */
uint32_t job_shape_find_part(const struct model *m, uint32_t shape, uint32_t member);
/* Sums, and whether it may be displaced, from its parts and their classes. */
void job_shape_complete(struct model *m, uint32_t shape);
void job_shape_done(struct job_shape *k);
