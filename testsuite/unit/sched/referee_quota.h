/*
 * Absolute limits in the world of the referee: of queues, of users in queues, of users,
 * of accounts, of users in accounts.
 */
#pragma once

#include <stdint.h>

enum {
	REF_COUNTED = 3, /* resources with absolute limits */
	REF_ACCOUNTS = 2,
};

struct ref;

/* A set of absolute limits; negative: no limit. */
struct ref_quota {
	int64_t running, amounts[REF_COUNTED];
};

/* The use that counts for absolute limits. */
/* The jobs that count for a limit; a negative member: any. */
struct ref_owner {
	int queue, user, account;
};

struct ref_use {
	int64_t running, amounts[REF_COUNTED];
};

/* Sums the use of the owner. */
void ref_sum_use(const struct ref *w, struct ref_owner of, struct ref_use *ret);
