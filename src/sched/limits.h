/*
 * Priority classes, and limits on what may be used or started: by one queue, in one class, in one
 * round, and in absolute numbers by a queue, a user or an account (struct quota). Zeroed, each of them limits
 * nothing. A limit never ends running tasks.
 */
#pragma once

#include "conf/quota.h"
#include "conf/resource_table.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCHED_RESOURCES = RESOURCE_MAX };

/* Fractions of the cluster; a resource without its bit in `limited` has no limit. */
struct sched_fraction {
	uint32_t limited;
	double of[SCHED_RESOURCES];
};

struct sched_class {
	const char *name;
	int64_t priority; /* higher is more urgent */
	bool fair_share_preemptible, urgency_preemptible;
	struct sched_fraction limit; /* what one queue may use in this class */
	bool restricted; /* only some users may ask for it: explanations do not suggest it */
};

/* The queue's own limit for a class; the limit of the class applies, too. */
struct sched_class_limit {
	const char *class_name;
	struct sched_fraction limit;
};

/* A bucket of tokens, one for each task started; burst 0: no such limit. */
struct sched_rate {
	double rate, burst;
};

/* The absolute limits of one user; they replace the general ones of the same kind. */
struct sched_user {
	const char *name;
	struct quota quota;
};

/* The absolute limits of an account: of all its jobs, and of those of each user in it. */
struct sched_account {
	const char *name;
	struct quota quota, user_quota;
};

/* An amount of a floating resource that only one queue may use. */
struct sched_kept {
	const char *queue;
	size_t resource;
	int64_t amount;
};

/* Zeroed: no limits. */
struct sched_limits {
	uint64_t jobs_per_round;
	struct sched_fraction per_round; /* checked before a gang, so that the last may exceed it */
	struct sched_rate rate, queue_rate;
	uint64_t queue_lookback;       /* waiting elements looked at in each queue */
	const struct sched_kept *kept; /* of floating resources; borrowed during the call */
	size_t kept_count;
};
