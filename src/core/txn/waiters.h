/*
 * Clients that wait for the end of a job (WAIT_JOB).
 *
 * A waiter is in three places: the list of its job (job_live.waiters), the list of its connection,
 * and the count of its user. So a request, the end of a job and the close of a connection cost only
 * their own waiters, however many others there are. All of it is volatile.
 */
#pragma once

#include "core/txn/live.h"

struct waiter {
	uint32_t request;
	bool hides; /* do not name other jobs to this client */
	struct job_live *job;
	struct waiting_conn *conn;
	LIST_ENTRY(waiter) of_job, of_conn;
};

struct waiting_user {
	uint32_t uid;
	char *name;
	uint64_t count;
	UT_hash_handle hh;
};

struct waiting_conn {
	uint64_t conn;
	uint64_t count;
	struct waiting_user *user;
	LIST_HEAD(, waiter) waiters;
	UT_hash_handle hh;
};

/* The numbers of waiters of a connection and of a user. O(1). */
uint64_t waiters_of_conn(const struct live *l, uint64_t conn);
uint64_t waiters_of_user(const struct live *l, uint32_t uid);
/*
 * The client of this request waits for the job. name: of the user, copied; NULL: the uid has none.
 * O(1).
 */
struct waiter *waiter_add(struct live *l, const struct job *j, uint64_t conn, uint32_t uid,
			  const char *name);
/* Takes the waiter out of all places and frees it. O(1). */
void waiter_drop(struct live *l, struct waiter *w);
/* The connection is closed. O(its waiters). */
void waiters_forget_conn(struct live *l, uint64_t conn);
