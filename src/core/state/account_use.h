/*
 * Accounts, and their usage by one user (struct account_user) and by all users (struct account_usage):
 * waiting elements, active elements, and the resources of running tasks, in all queues.
 *
 * Both exist while jobs name the account, whether armada.conf lists it or not; each job points to its
 * account user. queue_user.c keeps the sums and checks them, with those of users and queues.
 */
#pragma once

#include "core/state/queue_user.h"

struct account_usage {
	char *name;
	uint32_t account_users;
	struct usage has;
	UT_hash_handle hh;
};

struct account_user {
	struct {
		LINK(account_usage) account;
		LINK(user_usage) user_usage;
	} of;
	uint64_t jobs;
	struct usage has;
	UT_hash_handle hh;
};

/* NULL: no job names the account, or none of that user. */
const struct account_usage *account_usage_find(const struct state *state, const char *account);
const struct account_user *account_user_find(const struct state *state, const char *account,
					     const char *user);

#ifdef STATE_WRITES
/* The job, which has a queue user, counts for the account that it names, if any; or ceases to. */
void account_user_join(struct state *state, struct job *j);
void account_user_leave(struct state *state, struct job *j);
#endif
