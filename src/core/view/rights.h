/*
 * The rights of callers: no other code decides them.
 *
 * A table in rights.c has a row for each verb: which relations of the caller to the object give it.
 * The table of requests (core/request/request.h) has the verb of each request. A verb without a row
 * is denied to all callers. A verb without an object is checked before the handler runs. For a verb
 * with an object, the handler calls rights_may() or rights_sees() when it has found the object.
 *
 * In private mode (core_policy.private) a job that the caller may not watch does not exist for the
 * caller: a handler answers as for an id that was never used.
 */
#pragma once

#include "core/state/verb.h"
#include "core/txn/txn.h"

/* True if the caller owns this queue or is named in its permissions. */
bool rights_queue_knows(const struct caller *who, const struct queue *q);
/* Is the caller an administrator of armada.conf? */
bool rights_is_admin(const struct core_policy *policy, const struct caller *who);
/* True if the caller may ask for the index-th priority class of the policy. */
bool rights_may_use_class(const struct core_policy *policy, const struct caller *who, size_t index);
/*
 * The same for the index-th account. _has: without the right of administrators to name every account.
 */
bool rights_may_use_account(const struct core_policy *policy, const struct caller *who,
			    size_t index);
bool rights_has_account(const struct core_policy *policy, const struct caller *who, size_t index);
/*
 * True if the caller may, and the scope of its token allows it. j or q may be NULL if the verb is not about
 * one. Default: no.
 */
bool rights_may(const struct txn *txn, const struct caller *who, enum verb verb,
		const struct job *j, const struct queue *q);
/*
 * False if the caller has a token whose scope does not have the verb. A request whose row has such a verb is
 * refused before its handler runs.
 */
bool rights_in_scope(const struct caller *who, enum verb verb);
/*
 * The same for a verb in a queue (q NULL: in the cluster), with the reason in words: "owner",
 * "group hpc has it", "no entry gives it". The text is in the arena or constant.
 */
const char *rights_may_why(const struct txn *txn, const struct caller *who, enum verb verb,
			   const struct queue *q, struct arena *a, bool *ret_may);
bool rights_sees_all(struct txn *txn);
/*
 * True if the caller may see what each user has: an administrator, or a user with the watch
 * permission (or one that includes it) in the whole cluster.
 */
bool rights_sees_users(const struct txn *txn, const struct caller *who);
/*
 * True if the caller of this input may watch this job (rights_sees) or every job (rights_sees_all).
 * The answers are computed once for each input, or once for each queue.
 */
bool rights_sees(struct txn *txn, const struct job *j);
/* The same for a job of which only the user and the queue are known. */
bool rights_sees_named(struct txn *txn, const char *user, const char *queue);
