/*
 * The bounds of what users make the controller keep (limits in armada.conf).
 *
 * A bound is for one connection, for one user, or for the whole cluster. The last 2 % of a bound
 * for the whole cluster are kept for administrators, so that they can act while users have filled
 * the rest. Each check returns 0, or a negative errno with a sentence that has the numbers and the
 * option; the exit code of such a refusal is 75, because others' ends make room.
 */
#pragma once

#include "core/txn/txn.h"

enum { EXIT_FULL = 75 };

/* A request with the hash of each of its blobs, computed once however many jobs refer to it. */
struct submission {
	const Armada__SubmitRequest *message;
	uint8_t (*hashes)[HASH_SIZE]; /* in the arena */
};
void submission_hash(struct submission *s, struct arena *arena);

/* One more WAIT_JOB of this connection. O(1). */
int bounds_admit_wait(const struct txn *txn, struct err *err);
/* One more token of the caller. O(tokens). */
int bounds_admit_token(const struct txn *txn, struct err *err);
/* The number of jobs of a request. O(1). */
int bounds_admit_jobs(const struct txn *txn, size_t jobs, struct err *err);
/*
 * The bytes that the admitted jobs of a request would add to those stored (core/state/stored.h),
 * rounded up: equal specifications in one request count for each job.
 */
int bounds_admit_stored(const struct txn *txn, const struct submission *sub, struct err *err);
/*
 * The same for a job that gets this specification, if it grows. script: empty, or a new one; later: it also
 * keeps the present one until it is restarted.
 */
int bounds_admit_update(const struct txn *txn, const struct job *j, const Armada__JobSpec *to,
			const ProtobufCBinaryData *script, bool later, struct err *err);
/*
 * The number of idle job sets that a submission makes the controller forget. It forgets none if the set of
 * the job is in memory.
 */
void bounds_forget_sets(const struct txn *txn, Armada__JobSubmitted *m);
/* The number of the oldest keys that a submission with a key makes the controller forget. */
void bounds_forget_keys(const struct txn *txn, Armada__JobSubmitted *m);
