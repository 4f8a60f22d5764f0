/*
 * Absolute limits in the referee's world: of queues, of users in them, of users.
 */
#pragma once

#include <stdint.h>

enum { REF_COUNTED = 3 /* resources that they know */ };

struct ref;

/* In absolute numbers; less than 0: no limit. */
struct ref_quota {
	int64_t running, amounts[REF_COUNTED];
};

/* What counts under absolute limits. */
struct ref_use {
	int64_t running, amounts[REF_COUNTED];
};

/* What runs of a user in a queue; less than 0: of all. */
void ref_sum_use(const struct ref *w, int queue, int user, struct ref_use *ret);
