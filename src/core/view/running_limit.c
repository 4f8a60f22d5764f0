/*
 * The limits of running elements that stop a job now (running_limit.h).
 *
 * Input: a job that waits. Output: the words that the scheduler gives to the first of several like jobs
 * (sched/round/absolute_limit.c): of its queue, of its user in the queue, of its user, of its account, of
 * its user in the account. Limits of resources depend on what the job asks for, and are left to the
 * scheduler.
 */
#include "core/view/running_limit.h"

#include "core/state/account_use.h"
#include "util/names.h"
#include "util/plural.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_reached(const struct quota *quota, uint64_t active)
{
	return quota_has(quota, QUOTA_RUNNING) && quota->of[QUOTA_RUNNING] > 0 &&
	       active >= (uint64_t)quota->of[QUOTA_RUNNING];
}

/* limit: what it is the limit of, as "queue x: max_running". */
static char *text_of(const struct quota *quota, uint64_t active, const char *owner,
		     const char *name, const char *limit, struct arena *a)
{
	int64_t most = quota->of[QUOTA_RUNNING];

	return arena_printf(a,
			    "%s %s has %" PRIu64 " of at most %" PRId64 " %s running (limit of %s)",
			    owner, name, active, most, plural((uint64_t)most, "job", "jobs"),
			    limit);
}

/* What applies to the user in all queues: its own limit, or that of each user. */
static char *text_of_user(const struct txn *txn, const struct job *j, struct arena *a)
{
	const struct core_policy *p = txn->policy;
	const char *user = j->user->name;
	const struct sched_user *named = p->user_count ? bsearch(&user, p->users, p->user_count,
								 sizeof(*p->users), names_compare)
						       : NULL;
	bool own = named && quota_has(&named->quota, QUOTA_RUNNING);
	const struct quota *quota = own ? &named->quota : &p->user_quota;
	uint64_t active = j->queue_user->of.user_usage->has.active;

	if (!is_reached(quota, active))
		return NULL;
	return text_of(quota, active, "user", user,
		       own ? arena_printf(a, "user %s: users.max_running", user)
			   : "each user: user_limits.max_running",
		       a);
}

const struct sched_account *account_limits(const struct core_policy *p, const char *name)
{
	return p->account_count ? bsearch(&name, p->accounts, p->account_count,
					  sizeof(*p->accounts), names_compare)
				: NULL;
}

static char *text_of_account(const struct txn *txn, const struct job *j, struct arena *a,
			     enum sched_why *ret_why)
{
	const struct account_user *t = j->account_user;
	const struct sched_account *of =
		t ? account_limits(txn->policy, t->of.account->name) : NULL;

	if (of && is_reached(&of->quota, t->of.account->has.active)) {
		*ret_why = WHY_ACCOUNT_JOBS_LIMIT;
		return text_of(&of->quota, t->of.account->has.active, "account", of->name,
			       arena_printf(a, "account %s: accounts.max_running", of->name), a);
	}
	if (!of || !is_reached(&of->user_quota, t->has.active))
		return NULL;
	*ret_why = WHY_USER_JOBS_LIMIT;
	return text_of(&of->user_quota, t->has.active, "user", j->user->name,
		       arena_printf(a, "account %s for each user: accounts.user_max_running",
				    of->name),
		       a);
}

char *running_limit_text(const struct txn *txn, const struct job *j, struct arena *a,
			 enum sched_why *ret_why)
{
	const struct queue *q = j->queue;
	uint64_t of_user = j->queue_user->has.active;
	char *text;

	if (is_reached(&q->quota, q->active)) {
		*ret_why = WHY_QUEUE_JOBS_LIMIT;
		return text_of(&q->quota, q->active, "queue", q->name,
			       arena_printf(a, "queue %s: max_running", q->name), a);
	}
	if (is_reached(&q->user_quota, of_user))
		text = text_of(&q->user_quota, of_user, "user", j->user->name,
			       arena_printf(a, "queue %s for each user: user_max_running", q->name),
			       a);
	else
		text = text_of_user(txn, j, a);
	if (!text)
		return text_of_account(txn, j, a, ret_why);
	*ret_why = WHY_USER_JOBS_LIMIT;
	return text;
}
