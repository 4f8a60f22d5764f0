/*
 * Absolute limits in the world of the referee: of queues, of users in queues, of users.
 */
#pragma once

#include <stdint.h>

enum { REF_COUNTED = 3 /* resources with absolute limits */ };

struct ref;

/* A set of absolute limits; negative: no limit. */
struct ref_quota {
	int64_t running, amounts[REF_COUNTED];
};

/* The use that counts for absolute limits. */
struct ref_use {
	int64_t running, amounts[REF_COUNTED];
};

/* Sums the use of a user in a queue; negative: of all users or queues. */
void ref_sum_use(const struct ref *w, int queue, int user, struct ref_use *ret);
