/*
 * Checks of the bounds of what users make the controller keep (bounds.h).
 *
 * Input: the request that is handled, the sums that the state and the volatile data keep for each
 * user, and the policy. Output: 0, or a refusal. A bound of 0 in the policy means none. Caveat:
 * a bound that was lowered below what a user has already refuses only what the user adds.
 */
#include "core/admission/bounds.h"

#include "core/txn/waiters.h"
#include "core/view/rights.h"

#include <errno.h>

/* The part of a bound for the whole cluster that is kept for administrators: one of this many. */
enum { ADMINISTRATORS = 50 };

/* True if this caller may not have `sum` of a bound for the whole cluster. */
static bool is_over(const struct txn *txn, int64_t bound, uint64_t sum)
{
	int64_t kept = rights_may(txn, txn->in->caller, VERB_ADMIN, NULL, NULL)
			       ? 0
			       : bound / ADMINISTRATORS;

	return bound && sum > (uint64_t)(bound - kept);
}

int bounds_admit_wait(const struct txn *txn, struct err *err)
{
	const struct core_policy *p = txn->policy;
	uint64_t own = waiters_of_conn(txn->live, txn->in->conn);
	uint64_t user = waiters_of_user(txn->live, txn->in->caller->uid);

	if (p->max_waits_of_conn && own >= (uint64_t)p->max_waits_of_conn)
		return err_set(err, -EAGAIN,
			       "this connection waits for %" PRIu64
			       " jobs already, which is the limit (limits.waits_per_connection)",
			       own);
	if (p->max_waits_of_user && user >= (uint64_t)p->max_waits_of_user)
		return err_set(err, -EAGAIN,
			       "this user waits for %" PRIu64
			       " jobs already, which is the limit (limits.waits_per_user)",
			       user);
	if (is_over(txn, p->max_waits, txn->live->waiter_count + 1))
		return err_set(err, -EAGAIN,
			       "%" PRIu64
			       " clients wait for jobs, which is the limit (limits.waits): try "
			       "again later",
			       txn->live->waiter_count);
	return 0;
}
