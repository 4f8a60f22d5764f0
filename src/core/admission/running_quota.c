/*
 * Absolute limits of running jobs (running_quota.h).
 *
 * Input: a queue, a user, and a number of elements with their sum of resources. Output: whether
 * they may start beside what runs now (running_quota_allows), or whether they could ever run
 * (admit_running_quota). Five sets of limits apply: of the queue, of each user in the queue, of the
 * user in all queues, of the account, and of each user in the account.
 */
#include "core/admission/running_quota.h"

#include "core/admission/user_queue.h"
#include "core/state/account_use.h"
#include "core/view/running_limit.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/plural.h"

#include <stdlib.h>
#include <string.h>

/* A limit that would be exceeded. */
struct excess {
	enum quota_kind kind;
	size_t resource; /* of a limit that does not count jobs */
};

/* The entry of armada.conf for this user; NULL: none. */
static const struct sched_user *find_named(const struct core_policy *p, const char *user)
{
	return p->user_count
		       ? bsearch(&user, p->users, p->user_count, sizeof(*p->users), names_compare)
		       : NULL;
}

void running_quota_of_user(const struct core_policy *p, const char *user, struct quota *ret)
{
	const struct sched_user *named = find_named(p, user);

	*ret = p->user_quota;
	for (int kind = 1; named && kind < QUOTA_ALL; kind++)
		if (quota_has(&named->quota, kind))
			quota_put(ret, kind, named->quota.of[kind]);
}

static bool is_over(int64_t has, int64_t more, int64_t quota)
{
	int64_t sum;

	return more > 0 && (__builtin_add_overflow(has, more, &sum) || sum > quota);
}

/* True if a limit would be exceeded: the first one. */
static bool exceeds(const struct quota *quota, uint64_t active, const struct resources *used,
		    uint64_t elements, const struct resources *want, struct excess *ret)
{
	ret->kind = QUOTA_RUNNING;
	if (!quota->set)
		return false;
	if (is_over((int64_t)active, (int64_t)elements, quota_get(quota, QUOTA_RUNNING)))
		return true;
	for (ret->resource = 0; ret->resource < resource_count(); ret->resource++) {
		size_t r = ret->resource;

		ret->kind = quota_of_resource(resource_name(r), r);
		if (quota_has(quota, ret->kind) &&
		    is_over(used->amount[r], want->amount[r], quota->of[ret->kind]))
			return true;
	}
	return false;
}

static bool fits(const struct quota *quota, const struct usage *has, uint64_t elements,
		 const struct resources *want)
{
	struct excess ignored;

	return !exceeds(quota, has->active, &has->used, elements, want, &ignored);
}

static bool account_allows(const struct txn *txn, const struct job *j, uint64_t elements,
			   const struct resources *want)
{
	const struct account_user *t = j->account_user;
	const struct sched_account *a = t ? account_limits(txn->policy, t->of.account->name) : NULL;

	return !a || (fits(&a->quota, &t->of.account->has, elements, want) &&
		      fits(&a->user_quota, &t->has, elements, want));
}

bool running_quota_allows(const struct txn *txn, const struct job *j, uint64_t elements,
			  const struct resources *want)
{
	const struct queue *q = j->queue;
	struct usage of_queue = {q->waiting, q->active, q->used};
	struct quota user;

	running_quota_of_user(txn->policy, j->user->name, &user);
	return fits(&q->quota, &of_queue, elements, want) &&
	       fits(&q->user_quota, &j->queue_user->has, elements, want) &&
	       fits(&user, &j->queue_user->of.user_usage->has, elements, want) &&
	       account_allows(txn, j, elements, want);
}

/* --- at submission ------------------------------------------------------------------------- */

static int too_much(struct admission *a, const struct excess *l, const struct quota *quota,
		    uint64_t elements, const struct resources *want, const char *who,
		    const char *prefix)
{
	const char *name = quota_name(l->kind), *resource;
	char asks[32], may[32];

	if (l->kind == QUOTA_RUNNING)
		return admit_no(a,
				"%" PRIu64 " %s at once %s more than the %" PRId64
				" that %s may have running (%s%s)",
				elements, plural(elements, "job", "jobs"),
				plural(elements, "is", "are"), quota_get(quota, l->kind), who,
				prefix, name);
	resource = resource_name(l->resource);
	admit_amount(resource, want->amount[l->resource], asks, sizeof(asks));
	admit_amount(resource, quota_get(quota, l->kind), may, sizeof(may));
	return admit_no(a, "%s: %s at once is more than the %s that %s may use (%s%s)", resource,
			asks, may, who, prefix, name);
}

static int check(struct admission *a, const struct quota *quota, uint64_t elements,
		 const struct resources *want, const char *who, const char *prefix)
{
	struct resources none = {0};
	struct excess l;

	return exceeds(quota, 0, &none, elements, want, &l)
		       ? too_much(a, &l, quota, elements, want, who, prefix)
		       : 0;
}

static int check_account_quota(struct admission *a, uint64_t elements, const struct resources *want)
{
	const struct sched_account *of = account_limits(a->txn->policy, a->spec->account);
	struct arena *arena = a->txn->arena;
	int rc;

	if (!of)
		return 0;
	rc = check(a, &of->quota, elements, want, arena_printf(arena, "account '%s'", of->name),
		   "accounts.");
	return rc < 0 ? rc
		      : check(a, &of->user_quota, elements, want,
			      arena_printf(arena, "each user in account '%s'", of->name),
			      "accounts.user_");
}

int admit_running_quota(struct admission *a, uint64_t elements, const struct resources *want)
{
	const struct queue *q = user_queue_for(a->txn, a->spec->queue);
	struct arena *arena = a->txn->arena;
	const struct sched_user *named;
	struct quota user;
	int rc;

	if (a->txn->policy->hold_impossible || !q)
		return 0;
	rc = check(a, &q->quota, elements, want, arena_printf(arena, "queue '%s'", q->name), "");
	if (rc == 0)
		rc = check(a, &q->user_quota, elements, want,
			   arena_printf(arena, "each user in queue '%s'", q->name), "user_");
	if (rc == 0)
		rc = check_account_quota(a, elements, want);
	if (rc < 0 || !a->user)
		return rc;
	named = find_named(a->txn->policy, a->user);
	if (named)
		rc = check(a, &named->quota, elements, want,
			   arena_printf(arena, "user %s", a->user), "users.");
	running_quota_of_user(a->txn->policy, a->user, &user);
	return rc < 0 ? rc : check(a, &user, elements, want, "each user", "user_limits.");
}
