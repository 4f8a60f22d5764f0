/*
 * Users, and what they have in a queue (a tenant) and in all of them: elements that wait and that are
 * active, and the resources of what runs. By name, as limits are: who submitted from several machines
 * or with other groups is one user all the same.
 *
 * A tenant is there while it has jobs; each job knows its own. Kept as jobs wait, start and end;
 * core_check holds it against the elements and tasks themselves. What waits to be started anew keeps
 * what it had, and what was preempted has it until its tasks have ended.
 */
#pragma once

#include "core/state/job.h"

/* One of waiting or active elements, and what the active ones use. */
struct usage {
	uint64_t waiting, active;
	struct resources used;
};

/* A user, in all queues. */
struct user_usage {
	char *name;
	uint32_t queue_users;
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

/* NULL: has no jobs, there or anywhere. */
const struct queue_user *queue_user_find(const struct state *state, const struct queue *q,
					 const char *user);
const struct user_usage *user_usage_find(const struct state *state, const char *user);
/* Are all these numbers what the jobs say? */
int queue_users_check(const struct state *state, struct err *err);

#ifdef STATE_WRITES
/* The job is in its queue now, or is to leave it. */
void queue_user_join(struct state *state, struct job *j);
void queue_user_leave(struct state *state, struct job *j);
/* What it has changes by so many elements, or by what one task asks for (1, -1). */
void queue_user_waits(struct job *j, int64_t elements);
void queue_user_active(struct job *j, int64_t elements);
void queue_user_uses(struct task *t, int sign);
#endif
