/*
 * Who may do what: the one place where it is decided (S11).
 *
 * A table in rights.c has a row for each verb: what somebody must be to the object to be given it. Which
 * verb a request takes is in the table of requests (core/request/request.h). What has no row is nobody's.
 * A verb of nothing is asked before the handler runs; one of an object the handler asks, with rights_may() or
 * rights_sees(), once it has found the object.
 *
 * In private mode (core_policy.private) what somebody may not watch does not exist for them: a handler
 * answers as it answers for an id that never was.
 */
#pragma once

#include "core/state/verb.h"
#include "core/txn/txn.h"

/* Is anything of this queue theirs: do they own it, or are named in its permissions? */
bool rights_queue_knows(const struct caller *who, const struct queue *q);
/* j or q may be NULL where the verb is not about one. Default: no. */
bool rights_may(const struct txn *txn, const struct caller *who, enum verb verb,
		const struct job *j, const struct queue *q);
/*
 * The same of a verb in a queue (or, q NULL, of the cluster), in words: "owner", "group hpc has it",
 * "nobody gave it"; in the arena or constant.
 */
const char *rights_may_why(const struct txn *txn, const struct caller *who, enum verb verb,
			   const struct queue *q, struct arena *a, bool *ret_may);
bool rights_sees_all(struct txn *txn);
/* May the caller of this input watch this job? Every job? Found out once an input, or once a queue. */
bool rights_sees(struct txn *txn, const struct job *j);
/* The same of a job of which only this is known. */
bool rights_sees_named(struct txn *txn, const char *user, const char *queue);
