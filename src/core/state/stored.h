/*
 * The bytes that the jobs of each user make the controller keep (user_usage.stored, state.stored).
 *
 * A specification, a script and an environment count once for each user whose jobs refer to them,
 * however many these jobs are. Ranges of elements of an array and dependencies count for each job
 * (job.stored). The sums follow from the jobs alone: the events of jobs keep them, and
 * stored_check() counts them again.
 */
#pragma once

#include "core/state/queue_user.h"

/* Bytes for each range of an array's elements, and for each dependency. */
enum { STORED_RANGE = 16, STORED_EDGE = 128 };

/* True if a job of the user refers to this blob already. O(users of the blob). */
bool stored_has_blob(const struct blob *b, const struct user_usage *user);
/* The bytes of the ranges and dependencies of a job. O(its dependencies). */
uint64_t stored_of_job(const struct job *j);
/* Counts all of it again and compares. O(jobs). */
int stored_check(const struct state *state, struct err *err);

#ifdef STATE_WRITES
/* The job has its spec and its queue user, or is about to lose them. */
void stored_join(struct state *state, struct job *j);
void stored_leave(struct state *state, struct job *j);
/* The ranges or the dependencies of the job may have changed. */
void stored_note(struct state *state, struct job *j);
#endif
