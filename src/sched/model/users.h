/*
 * Users and their running jobs, in a queue (a queue user) and in all queues.
 *
 * A queue user exists while its user has jobs in its queue; a user exists while it has queue users
 * or armada.conf has limits for its name. Each job knows its queue user; queues have the same sums
 * over all users.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"

struct model;

/* The use of an owner of limits: running elements, and the sum of their requests. */
struct usage {
	int64_t running;
	int64_t amounts[SCHED_RESOURCES];
};
struct spending {
	struct usage now;
	/* round: the use of the elements that the round started_round has started */
	struct usage started;
	uint32_t started_round;
	/* round: the last text about an exceeded limit, and the values from which it was made */
	uint32_t reported_round, reported_limit;
	int64_t reported_has, reported_asks;
	const char *text;
};

/* A user, in all queues. */
struct user {
	char *name;
	uint32_t queue_users;
	uint32_t jobs;      /* in all queues */
	uint32_t keeping;   /* jobs that keep their nodes for the user */
	bool named;         /* armada.conf has limits for this user */
	struct quota own;   /* its own limits */
	struct quota quota; /* the limits that apply: its own, and otherwise the general ones */
	struct spending spending;
	uint32_t free_next; /* if the place is free */
};

/* A user in a queue, while it has jobs. */
struct queue_user {
	uint32_t queue, user;
	uint32_t jobs;
	struct spending spending;
	uint32_t free_next; /* if the place is free */
};

struct users {
	struct user *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	uint32_t keepers; /* users with such jobs */
	struct queue_users {
		struct queue_user *list;
		size_t count, cap;
		uint32_t unused;
		struct map map;
	} in_queue;
	struct quota quota;                 /* of each user, in all queues together */
	uint32_t quota_resource[QUOTA_ALL]; /* the resource of a limit; NIL: none */
};

/* The queue user, with one job more; NIL: no user. _leave: with one job less. */
uint32_t users_join(struct model *m, uint32_t queue, const char *user);
void users_leave(struct model *m, uint32_t queue_user);
/*
 * The user as the keeper of nodes; 0: none of its jobs keeps nodes, or no user. Such a user has shapes of its
 * own, so that all that holds for a shape holds for all of its jobs (keepers.h).
 */
uint32_t users_keeper(const struct model *m, const char *user);
/* The user of a job, in all queues; NIL: none. */
uint32_t users_of_job(const struct model *m, uint32_t job);
const char *users_name(const struct model *m, uint32_t queue_user);
/*
 * The uses that the job counts for: of its queue, its queue user and user, its account user and
 * account. Returns their number. A new record may move them.
 */
enum { USERS_SPENDINGS = 5 };
size_t users_spendings(struct model *m, uint32_t job, struct spending *ret[USERS_SPENDINGS]);
/* Add (1) or subtract (-1) amounts to all of these. */
void users_spend(struct model *m, uint32_t job, const int64_t *amounts, int sign);
void users_count(struct model *m, uint32_t job, int64_t elements);
/*
 * A replacement keeps its element's use, from when it waits (1) until it has started or was removed
 * (-1).
 */
void users_count_replacement(struct model *m, uint32_t job, int sign);
/* The owner of the subqueue of such a job; NIL: all users share it. */
uint32_t users_quota_user(const struct model *m, bool replaces, uint32_t queue,
			  uint32_t queue_user);
/* True if one of the limits is about running jobs. */
bool users_limits_running(const struct quota *m);
/* The users' limits of the whole cluster. Divides the subqueues, also for accounts_set_limits. */
void users_set_limits(struct model *m, const struct sched_config *config);
