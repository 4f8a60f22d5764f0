/*
 * The scheduler: a pure function from the changes reported to it to a list of decisions.
 *
 * A sched keeps its own compact model of queues, jobs and nodes, updated by the calls below
 * (feed/sched_feed.h makes them from the event stream). It shares nothing with the core, takes no
 * lock, reads no clock and draws no randomness: a round gets the time, a seed and a callback for
 * its budget. Decisions change nothing: those that the core accepts come back through these calls.
 *
 * Resources are vectors of int64 in the order given to sched_new: cpu in millicores, memory in
 * bytes, others in units. Names are copied.
 */
#pragma once

#include "plugin/plugin.h"
#include "sched/result.h"

#include <stdbool.h>
#include <stdint.h>

struct sched;

struct sched_config {
	const char *const *resources; /* [0] is "cpu", [1] "memory" */
	size_t resource_count;
	const struct sched_class *classes; /* [0] is used for jobs of an unknown class */
	size_t class_count;
	const struct plugin *fairness, *order, *preempt, *select; /* borrowed */
	struct sched_limits limits;
	struct quota user_quota; /* of each user, in all queues together */
	const struct sched_user *users;
	const struct sched_account *accounts;
	size_t user_count, account_count;
	bool partial_gangs; /* a gang may start with min_members, and the other members never */
};

struct sched_selector {
	const char *key, *value;  /* empty value: the key must be there */
	bool negate, alternative; /* to the one before it: one of both is enough */
};
struct sched_toleration {
	const char *key, *op, *value;
};
struct sched_label {
	const char *key, *value;
};
struct sched_taint {
	const char *key, *value, *effect;
};

struct sched_node {
	const char *name;
	int64_t total[SCHED_RESOURCES];
	const struct sched_label *labels;
	size_t label_count;
	const struct sched_taint *taints;
	size_t taint_count;
	bool schedulable; /* up, connected, not drained */
};

/* Separate jobs that start together and are preempted together. Jobs with the same name are one gang. */
struct sched_gang {
	const char *name;
	uint32_t cardinality; /* the gang is whole with so many jobs */
	uint32_t min;         /* at least so many start together; 0: all */
};

/* An id with this bit is of a single task of a job: messages do not show it. */
#define SCHED_TASK_IDS (UINT64_C(1) << 63)

/*
 * The request of a job. Its gang has `members` members, each of `request`, each on one node;
 * `distinct` puts no two of them on one node. A member may consist of several tasks
 * (tasks_per_member) that share a node.
 */
struct sched_job {
	uint64_t id;
	const struct sched_gang *gang;         /* NULL: not a member of a gang of jobs */
	const char *queue, *class_name, *user; /* user NULL: no limit of a user applies */
	const char *account;                   /* NULL: none */
	uint32_t elements; /* the number that limits count, for a gang of several jobs; 0: one */
	int64_t priority;  /* lower first */
	int64_t submit_us;
	int64_t request[SCHED_RESOURCES],
		licenses[SCHED_RESOURCES]; /* licenses: of the gang as a whole */
	uint32_t members, min_members;
	bool distinct, exclusive, scavenge, exclusive_user; /* the last: beside jobs of its user */
	int64_t time_limit_us;                              /* 0: none */
	int64_t time_min_us; /* the least limit with which it may start, in whole seconds; 0: that */
	int64_t grace_us;    /* the time that it may take to end after that */
	const struct sched_selector *selectors;
	size_t selector_count, of_queue; /* the last ones are of the queue */
	const struct sched_toleration *tolerations;
	size_t toleration_count;
	const char *const *include, *const *exclude; /* node names */
	size_t include_count, exclude_count;
	const char *const *avoid; /* nodes that are also excluded, for now (sched_job_avoid) */
	size_t avoid_count;
	const char *uniformity;    /* NULL: none */
	uint32_t throttle, turn;   /* elements running at once; 0: no limit. turn: model/jobs.h */
	uint32_t tasks_per_member; /* messages show the amounts of one task; 0: as 1 */
	/*
	 * Members that are not alike: each part has its own members, class, request, selectors, node
	 * lists, tolerations, and minimum (0: none), whose members are placed first; the fields above
	 * then hold the sum of members and, for the rest, what all share. NULL: all alike.
	 */
	const struct sched_job *parts;
	size_t part_count;
};

struct sched *sched_new(const struct sched_config *config, struct err *err);
void sched_free(struct sched *s);

/* Queues. factor > 0. A job's queue must exist. O(1). */
void sched_queue_set(struct sched *s, const char *name, double factor, bool cordoned);
void sched_queue_remove(struct sched *s, const char *name);
/* The limit of the queue over all classes; its limits for classes, which replace all earlier ones. */
void sched_queue_limit(struct sched *s, const char *name, const struct sched_fraction *limit);
void sched_queue_class_limits(struct sched *s, const char *name,
			      const struct sched_class_limit *list, size_t count);
/*
 * Absolute limits on the running jobs of the queue, and of each user in it. A replacement of a failed task is
 * not counted: its element counts already. O(jobs) when a user gets a first limit or loses the last one.
 */
void sched_queue_quota(struct sched *s, const char *name, const struct quota *quota);
void sched_queue_user_quota(struct sched *s, const char *name, const struct quota *quota);
/* The cost of its use, by the totals of the last round. */
double sched_queue_cost(const struct sched *s, const char *name);

/* Nodes: new or changed. Running tasks stay. */
void sched_node_set(struct sched *s, const struct sched_node *node);
void sched_node_remove(struct sched *s, const char *name);

/* Adds a job without waiting elements; all its fields are copied. O(log n). */
void sched_job_add(struct sched *s, const struct sched_job *job);
/*
 * Changes the request of a job: all fields except its id, its user and its submission. Its waiting elements
 * keep waiting. While elements of it run, only its priority, throttle and times (O(all tasks)) may differ.
 */
void sched_job_change(struct sched *s, const struct sched_job *job);
/* Removes its record; no element may be running. */
void sched_job_remove(struct sched *s, uint64_t id);
void sched_job_hold(struct sched *s, uint64_t id, bool held);
/* Excludes nodes on which the job failed, for all its waiting elements. The list replaces the last one. */
void sched_job_avoid(struct sched *s, uint64_t id, const char *const *nodes, size_t count);
/* Elements begin or cease to wait. O(log r) in the ranges of the job's waiting elements. */
void sched_wait(struct sched *s, uint64_t job, uint32_t first, uint32_t last, uint32_t step);
void sched_unwait(struct sched *s, uint64_t job, uint32_t first, uint32_t last);
/* A waiting element was started on these nodes, one for each member; NULL: the member was not started. */
void sched_run(struct sched *s, uint64_t job, uint32_t element, const char *const *nodes,
	       int64_t start_us);
/*
 * The waiting element was displaced for the other one. It never displaces for fair share the one for which
 * it was displaced last, nor the one for which that one was, and so on. for_job 0: forget it.
 */
void sched_displaced_for(struct sched *s, uint64_t job, uint32_t element, uint64_t for_job,
			 uint32_t for_element);
/* A running element began at another time than reported: its time limit counts from then. */
void sched_started(struct sched *s, uint64_t job, uint32_t element, int64_t start_us);
/* A running element has a lower time limit than its job, until the times of the job change. */
void sched_limit(struct sched *s, uint64_t job, uint32_t element, int64_t limit_us);
/* A member ended; _run: a member without a node has got one; sched_end: the whole element ended. */
void sched_member_end(struct sched *s, uint64_t job, uint32_t element, uint32_t member);
void sched_member_run(struct sched *s, uint64_t job, uint32_t element, uint32_t member,
		      const char *node);
void sched_end(struct sched *s, uint64_t job, uint32_t element);
/* A member gives up its room but may keep running: limits count it until its element ends. */
void sched_member_yield(struct sched *s, uint64_t job, uint32_t element, uint32_t member);
/* The number of jobs left in a running gang of jobs: limits count this number of elements. */
void sched_elements_left(struct sched *s, uint64_t job, uint32_t element, uint32_t elements);
/* pinned: the running element may not be displaced now; otherwise its class decides. */
void sched_pin(struct sched *s, uint64_t job, uint32_t element, bool pinned);

/*
 * The gang of this job has begun: from now on it counts as whole, however few of its jobs are left. A job of
 * a gang has only element 0. Decisions name one job of the gang: while it waits, the one with the lowest id,
 * whose priority and submission time count. The nodes of a start are those of all jobs, by their ids.
 */
void sched_gang_begun(struct sched *s, uint64_t job);
/* Applies the calls about jobs of gangs. Call it at the end of each record. */
void sched_gangs_settle(struct sched *s);

struct sched_round {
	int64_t now_us;
	uint64_t seed;
	/* True when the budget is spent: the round ends at the next gang. May be NULL. */
	bool (*stop)(void *arg);
	void *stop_arg;
};

/*
 * Runs one round. The cost grows with the number of placed gangs, of distinct shapes that do not fit, and of
 * queues, but not with the number of waiting jobs. Decisions are in the order in which they were made.
 */
void sched_run_round(struct sched *s, const struct sched_round *round,
		     struct sched_result *ret_result);
void sched_result_done(struct sched_result *r);

/* Could an empty node hold one member? 0, also without nodes, or -ENOSPC; err: what the best one lacks. */
int sched_check_feasible(const struct sched *s, const struct sched_job *job, struct err *err);
