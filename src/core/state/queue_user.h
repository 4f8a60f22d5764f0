/*
 * Users, and their usage in one queue (struct queue_user) and in all queues (struct user_usage):
 * waiting elements, active elements, and the resources of running tasks. Users are identified by
 * name, as in limits: submissions from several machines or with other groups belong to the same
 * user.
 *
 * A queue user exists while it has jobs; each job points to its own. The sums change as jobs wait,
 * start and end; core_check compares them with the elements and tasks. A task that waits for its
 * replacement keeps its resources, and a preempted element keeps them until its tasks have ended.
 */
#pragma once

#include "core/state/job.h"

/* Numbers of waiting and active elements, and the resources that the active elements use. */
struct usage {
	uint64_t waiting, active;
	struct resources used;
};

/* A user in all queues. */
struct user_usage {
	char *name;
	uint32_t queue_users;
	uint64_t jobs;   /* in memory */
	uint64_t stored; /* bytes that its jobs keep; stored.h */
	struct usage has;
	UT_hash_handle hh;
};

struct queue_user {
	struct {
		LINK(queue) queue;
		LINK(user_usage) user_usage;
	} of;
	uint64_t jobs;
	struct usage has;
	UT_hash_handle hh;
};

/* NULL: the user has no jobs, in that queue or at all. */
const struct queue_user *queue_user_find(const struct state *state, const struct queue *q,
					 const char *user);
const struct user_usage *user_usage_find(const struct state *state, const char *user);
/* Compare all these numbers with the jobs. */
int queue_users_check(const struct state *state, struct err *err);

#ifdef STATE_WRITES
/* The job has joined its queue, leaves memory, or has got another queue. */
void queue_user_join(struct state *state, struct job *j);
void queue_user_leave(struct state *state, struct job *j);
void queue_user_move(struct state *state, struct job *j);
/* The job names another account than before. Nothing of it runs. */
void queue_user_change_account(struct state *state, struct job *j);
/* The usage changes by a number of elements, or by the request of one task (sign 1 or -1). */
void queue_user_waits(struct job *j, int64_t elements);
void queue_user_active(struct job *j, int64_t elements);
void queue_user_uses(struct task *t, int sign);
/* The same for several times the same resources. */
void queue_user_uses_more(struct job *j, const struct resources *each, int64_t count);
#endif
