/*
 * The model of a sched: queues, jobs and nodes as reported, and the data derived from them.
 *
 * Records are in arrays and are identified by a 32-bit index; NIL is none. Free places of an array form a
 * list. Vectors of resources are in separate arrays, one row of `dims` numbers each.
 *
 *	job		one submitted job: its waiting elements, and whether it is ready (in its subqueue)
 *	gang		jobs that start together; one more record of a job stands for all of them
 *	subqueue	the jobs of one queue that have one shape, ready ones in a tree in queue order
 *	queue user	a user in a queue, with the use of the running elements
 *	account user	a user in an account, in the same way
 *	shape		everything that placement depends on; jobs with one shape fit or do not fit together
 *	node class	the labels and taints that many nodes share
 *	task		a running element and its nodes
 *
 * A round changes nodes and subqueues only in fields marked "round", or restores the old value before it
 * ends.
 */
#pragma once

#include "sched/model/accounts.h"
#include "sched/model/constraint.h"
#include "sched/model/displaced.h"
#include "sched/model/floating.h"
#include "sched/model/gang_jobs.h"
#include "sched/model/job_shape.h"
#include "sched/model/jobs.h"
#include "sched/model/label_values.h"
#include "sched/model/node_block.h"
#include "sched/model/nodes.h"
#include "sched/model/policies.h"
#include "sched/model/priority_level.h"
#include "sched/model/queues.h"
#include "sched/model/release_times.h"
#include "sched/model/subqueue.h"
#include "sched/model/tasks.h"
#include "sched/model/usage_history.h"

struct model {
	size_t dims; /* number of resources */
	char **resources;
	struct armada_policy policy; /* the configuration that plugins get */
	struct policies policies;
	struct sched_limits limits;
	bool partial_gangs;
	struct jobs jobs;
	struct subqueues subqueues;
	struct job_shapes shapes;
	struct constraints constraints;
	struct queues queues;
	struct users users;
	struct accounts accounts;
	struct nodes nodes;
	struct node_classes node_classes;
	struct label_values values; /* of the label of the last search */
	struct priority_levels levels;
	struct node_blocks blocks;
	struct node_releases releases;
	struct tasks tasks;
	struct gangs gangs;
	struct displaced displaced;
	struct floating floating;
	struct usage_clock usage;
	uint64_t changes; /* changes of nodes, running tasks and policies, and released shapes */
	struct sched_work work; /* since the round began */
};

/*
 * Every sched begins with its model (round/state.h), so the calls of sched.h that change only the
 * model need no other part of it.
 */
static inline struct model *model_of(struct sched *s)
{
	return (struct model *)s;
}

/* From a config that was checked, except by the plugins. _done frees the model. */
void model_init(struct model *m, const struct sched_config *config);
void model_done(struct model *m);

/* Rows. */
static inline int64_t *nodes_free(const struct model *m, uint32_t node)
{
	return m->nodes.free + (size_t)node * m->dims;
}
static inline int64_t *nodes_total(const struct model *m, uint32_t node)
{
	return m->nodes.total + (size_t)node * m->dims;
}
/* A level above 0 of a node. */
static inline int64_t *priority_level_row(const struct model *m, uint32_t node, uint32_t level)
{
	return m->levels.rows + ((size_t)node * m->levels.count + level - 1) * m->dims;
}
static inline int64_t *job_shape_request(const struct model *m, uint32_t shape)
{
	return m->shapes.requests + (size_t)shape * m->dims;
}
/* Of all its members. */
static inline int64_t *job_shape_sum(const struct model *m, uint32_t shape)
{
	return m->shapes.list[shape].sum ? m->shapes.list[shape].sum : job_shape_request(m, shape);
}
static inline uint32_t job_shape_part_of(const struct model *m, uint32_t shape, uint32_t member)
{
	return m->shapes.list[shape].part_count ? job_shape_find_part(m, shape, member) : shape;
}
/* The shape of a job: that of its subqueue. */
static inline uint32_t jobs_shape(const struct model *m, uint32_t job)
{
	return m->subqueues.list[m->jobs.list[job].subqueue].shape;
}
