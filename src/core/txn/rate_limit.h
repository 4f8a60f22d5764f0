/*
 * Submit rates: how many jobs may be submitted to a queue, to it by one user, and by one user at all.
 *
 * A bucket counts what was submitted faster than its rate gives, in parts of a job that a rate of one
 * an hour makes good in a microsecond, so that nothing is lost to rounding. It is there only while it
 * owes something. All of it is volatile: after a restart everybody begins anew.
 */
#pragma once

#include "core/txn/txn.h"

enum rate_limit_kind {
	BUCKET_QUEUE,   /* all of a queue */
	BUCKET_TENANT,  /* a user in a queue */
	BUCKET_ACCOUNT, /* a user */
};

struct rate_limit_of {
	enum rate_limit_kind kind;
	const char *queue, *user; /* NULL where the kind has none */
	const struct most *most;  /* its rate and burst */
};

/* How many may be submitted now. INT64_MAX: it has no rate. */
int64_t rate_limit_room(const struct txn *txn, const struct rate_limit_of *of);
/* In how long so many may; jobs must be no more than its burst, and its rate not 0. */
int64_t rate_limit_wait_us(const struct txn *txn, const struct rate_limit_of *of, int64_t jobs);
/* So many were. */
void rate_limit_charge(struct txn *txn, const struct rate_limit_of *of, int64_t jobs);
void rate_limits_free(struct txn *txn);
