/*
 * Limits in absolute numbers of a scenario: of queues, of users in queues, of users, of accounts.
 */
#pragma once

#include "asim/rounds/reader.h"

/* The kinds of limits; resource NULL: jobs. */
enum { RUNNING_LIMITS = 4 };
extern const struct running_limit {
	enum quota_kind kind;
	const char *name, *user_name, *resource;
} running_limits[RUNNING_LIMITS];

/* The limits of a queue, a user or an account; of_user: those of a queue or an account for each user. */
void limits_read_quota(struct reader *r, const struct at *at, bool of_user, struct quota *ret);
void limits_read_users(struct reader *r, const struct at *root);
void limits_read_accounts(struct reader *r, const struct at *root);
