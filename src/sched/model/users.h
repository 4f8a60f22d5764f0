/*
 * Users and what runs of theirs, in a queue (a queue user) and in all.
 *
 * A queue user exists while its user has jobs in its queue; a user while there are queue users of it or
 * armada.conf has limits for that name. Each job knows its queue user; queues have the same sums over
 * all users.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"

struct model;

/* What somebody's jobs use: elements that run, and what those ask for. */
struct usage {
	int64_t running;
	int64_t amounts[SCHED_RESOURCES];
};
struct spending {
	struct usage now;
	/* round: what it has started; of the round of this number */
	struct usage started;
	uint32_t started_round;
	/* round: what was said last of whoever is too many, in the round of this number */
	uint32_t told_round, told_about;
	int64_t told_has, told_asks;
	const char *told;
};

/* A user, in all queues. */
struct user {
	char *name;
	uint32_t queue_users;
	bool named;       /* armada.conf has limits for this one */
	struct most own;  /* those */
	struct most most; /* what holds: those, and for the rest everybody's */
	struct spending spending;
	uint32_t free_next; /* when the place is free */
};

/* A user in a queue, for as long as there are jobs. */
struct queue_user {
	uint32_t queue, user;
	uint32_t jobs;
	struct spending spending;
	uint32_t free_next; /* when the place is free */
};

struct users {
	struct user *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	struct queue_users {
		struct queue_user *list;
		size_t count, cap;
		uint32_t unused;
		struct map map;
	} in_queue;
	struct most most; /* of each user, in all queues together */
	uint32_t
		most_resource[MOST_KINDS]; /* which one a limit is about; NIL: none that is known */
};

/* The queue user with a job more of it; NIL: nobody's. And with a job less. */
uint32_t users_join(struct model *m, uint32_t queue, const char *user);
void users_leave(struct model *m, uint32_t queue_user);
const char *users_name(const struct model *m, uint32_t queue_user);
/* What runs of the job is so much more (1) or less (-1), for all whom limits may be for. */
void users_spend(struct model *m, uint32_t job, const int64_t *amounts, int sign);
void users_count(struct model *m, uint32_t job, int64_t elements);
/* What a vacancy asks for is its element's own, from when it waits (1) until it is gone (-1). */
void users_vacancy(struct model *m, uint32_t job, int sign);
/* Whose subqueue its jobs stand in. */
uint32_t users_whose(const struct model *m, uint64_t id, uint32_t queue, uint32_t queue_user);
/* The users' limits of the whole cluster. */
void users_set_limits(struct model *m, const struct sched_config *config);
