/*
 * Accounts and their running jobs: of one user (an account user), and of all users, in all queues.
 *
 * An account user exists while its user has jobs that name its account. An account exists while it
 * has account users, or the configuration has limits for its name. Each job knows its account user;
 * users.c keeps the sums.
 */
#pragma once

#include "sched/model/users.h"

/* An account, for all users. */
struct account {
	char *name;
	uint32_t account_users;
	bool named;                     /* the configuration lists it */
	struct quota quota, user_quota; /* of all its jobs; of those of each user */
	struct spending spending;
	uint32_t free_next; /* if the place is free */
};

/* A user in an account, while it has jobs. */
struct account_user {
	uint32_t account, user; /* user NIL: jobs without a user */
	uint32_t jobs;
	struct spending spending;
	uint32_t free_next; /* if the place is free */
};

struct accounts {
	struct account *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	struct account_users {
		struct account_user *list;
		size_t count, cap;
		uint32_t unused;
		struct map map;
	} of_user;
};

/* The account user, with one job more; NIL: no account. _leave: with one job less. */
uint32_t accounts_join(struct model *m, const char *account, uint32_t queue_user);
void accounts_leave(struct model *m, uint32_t account_user);
const char *accounts_name(const struct model *m, uint32_t account_user);
/* The account user whose limits divide the subqueues of such a job; NIL: none has limits. */
uint32_t accounts_payer(const struct model *m, bool replaces, uint32_t account_user);
/* Takes the limits; users_set_limits, which divides the subqueues, must follow. */
void accounts_set_limits(struct model *m, const struct sched_config *config);
