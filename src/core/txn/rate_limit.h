/*
 * Submit rates: how many jobs may be submitted to a queue, to a queue by one user, by one user in all
 * queues, for an account, and for an account by one user.
 *
 * A bucket counts the jobs that were submitted faster than its rate allows. Its unit is the part of
 * a job that a rate of one job in an hour allows in a microsecond, so that nothing is lost to
 * rounding. A bucket exists only while it has a debt. All of it is volatile: a restart forgets all
 * debts.
 */
#pragma once

#include "core/txn/txn.h"

enum rate_limit_kind {
	RATE_LIMIT_QUEUE,      /* all users of a queue */
	RATE_LIMIT_QUEUE_USER, /* one user in one queue */
	RATE_LIMIT_USER,       /* one user in all queues */
	RATE_LIMIT_ACCOUNT,    /* all users of an account */
	RATE_LIMIT_ACCOUNT_USER,
};

struct rate_limit_of {
	enum rate_limit_kind kind;
	const char *name;          /* of the queue or the account; NULL: none */
	const char *user;          /* NULL: all */
	const struct quota *quota; /* the rate and burst */
};

/* How many jobs may be submitted now. INT64_MAX: no rate is set. */
int64_t rate_limit_room(const struct txn *txn, const struct rate_limit_of *of);
/*
 * The time until this many jobs may be submitted. jobs must not exceed the burst, and the rate must
 * not be 0.
 */
int64_t rate_limit_wait_us(const struct txn *txn, const struct rate_limit_of *of, int64_t jobs);
/* This many jobs were submitted. */
void rate_limit_charge(struct txn *txn, const struct rate_limit_of *of, int64_t jobs);
void rate_limits_free(struct txn *txn);
