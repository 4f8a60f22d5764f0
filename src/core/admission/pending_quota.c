/*
 * Quotas of waiting and of submission (pending_quota.h).
 *
 * Input: a request whose jobs were admitted, or a job that moves to another queue or account. Output:
 * 0, or a refusal that names the limit, its owner and, for a rate, when to try again. A request is
 * split into loads: one for each queue (for the queue, and for the user in it), one for each account
 * (in the same way), and one for the user.
 *
 * Caveat: checking does not charge the rates. pending_quota_charge() and pending_quota_moved() do,
 * once nothing can refuse any more.
 */
#include "core/admission/pending_quota.h"

#include "core/admission/running_quota.h"
#include "core/admission/user_queue.h"
#include "core/state/account_use.h"
#include "core/view/running_limit.h"
#include "core/txn/rate_limit.h"
#include "util/plural.h"
#include "util/steps.h"
#include "util/units.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_REFUSED = 1, EXIT_TRY_AGAIN = 75, LIMITS = 3 };

/*
 * The jobs and elements that are added to one queue, or to one account; both NULL: to all queues, for
 * the user.
 */
struct load {
	const struct queue *queue;
	const struct sched_account *account;
	const char *user;
	uint64_t jobs, elements;
};

/* One set of limits that applies to a load. */
struct under {
	struct rate_limit_of of;
	struct quota quota;
	uint64_t waiting;
	const char *whose, *keys; /* "queue 'short'"; before the key of a limit */
};

static size_t limits_of_queue(struct txn *txn, const struct load *l, struct under ret[LIMITS])
{
	const struct queue *q = l->queue;
	const struct queue_user *t = queue_user_find(txn->state, q, l->user);

	ret[0] = (struct under){
		.of = {.kind = RATE_LIMIT_QUEUE, .name = q->name},
		.quota = q->quota,
		.waiting = q->waiting,
		.whose = arena_printf(txn->arena, "queue '%s'", q->name),
		.keys = "",
	};
	ret[1] = (struct under){
		.of = {.kind = RATE_LIMIT_QUEUE_USER, .name = q->name, .user = l->user},
		.quota = q->user_quota,
		.waiting = t ? t->has.waiting : 0,
		.whose = arena_printf(txn->arena, "user %s in queue '%s'", l->user, q->name),
		.keys = "user_",
	};
	return 2;
}

static size_t limits_of_account(struct txn *txn, const struct load *l, struct under ret[LIMITS])
{
	const char *name = l->account->name;
	const struct account_usage *all = account_usage_find(txn->state, name);
	const struct account_user *own = account_user_find(txn->state, name, l->user);

	ret[0] = (struct under){
		.of = {.kind = RATE_LIMIT_ACCOUNT, .name = name},
		.quota = l->account->quota,
		.waiting = all ? all->has.waiting : 0,
		.whose = arena_printf(txn->arena, "account '%s'", name),
		.keys = "accounts.",
	};
	ret[1] = (struct under){
		.of = {.kind = RATE_LIMIT_ACCOUNT_USER, .name = name, .user = l->user},
		.quota = l->account->user_quota,
		.waiting = own ? own->has.waiting : 0,
		.whose = arena_printf(txn->arena, "user %s in account '%s'", l->user, name),
		.keys = "accounts.user_",
	};
	return 2;
}

static size_t limits_of_user(struct txn *txn, const struct load *l, struct under ret[LIMITS])
{
	const struct user_usage *a = user_usage_find(txn->state, l->user);

	ret[0] = (struct under){
		.of = {.kind = RATE_LIMIT_USER, .user = l->user},
		.waiting = a ? a->has.waiting : 0,
		.whose = arena_printf(txn->arena, "user %s", l->user),
		.keys = "user_limits.",
	};
	running_quota_of_user(txn->policy, l->user, &ret[0].quota);
	return 1;
}

static size_t limits_of(struct txn *txn, const struct load *l, struct under ret[LIMITS])
{
	size_t n = l->queue     ? limits_of_queue(txn, l, ret)
		   : l->account ? limits_of_account(txn, l, ret)
				: limits_of_user(txn, l, ret);

	for (size_t i = 0; i < n; i++)
		ret[i].of.quota = &ret[i].quota;
	return n;
}

static int check_waiting(const struct under *u, const struct load *l, int *ret_code,
			 struct err *err)
{
	uint64_t quota = (uint64_t)quota_get(&u->quota, QUOTA_WAITING);

	if (!l->elements || u->waiting + l->elements <= quota)
		return 0;
	*ret_code = EXIT_REFUSED;
	return err_set(err, -EINVAL,
		       "%s: %" PRIu64 " element%s wait%s; with %" PRIu64
		       " more the limit of %" PRIu64 " would be exceeded (%smax_waiting)",
		       u->whose, u->waiting, plural(u->waiting, "", "s"),
		       plural(u->waiting, "s", ""), l->elements, quota, u->keys);
}

/* The time as text, rounded up. */
static struct duration_words wait_words(int64_t us)
{
	int64_t seconds = (us + 999999) / 1000000;

	if (seconds > 120)
		seconds = (seconds + 59) / 60 * 60;
	if (seconds > 2 * 3600)
		seconds = (seconds + 3599) / 3600 * 3600;
	return duration_words(seconds * 1000000);
}

static int check_rate(struct txn *txn, const struct under *u, const struct load *l, int *ret_code,
		      struct err *err)
{
	int64_t room = rate_limit_room(txn, &u->of), jobs = (int64_t)l->jobs;
	int64_t burst = quota_burst(&u->quota);
	char rate[32];

	if (room >= jobs)
		return 0;
	quota_print(quota_of_kind(QUOTA_SUBMIT_RATE), u->quota.of[QUOTA_SUBMIT_RATE], rate,
		    sizeof(rate));
	*ret_code = EXIT_REFUSED;
	if (!u->quota.of[QUOTA_SUBMIT_RATE] || !burst)
		return err_set(err, -EINVAL, "%s: no jobs may be submitted (%s%s)", u->whose,
			       u->keys, burst ? "submit_rate is 0" : "submit_burst is 0");
	if (jobs > burst)
		return err_set(err, -EINVAL,
			       "%s: the request has %" PRId64 " jobs, and at most %" PRId64
			       " may be submitted at once (%s%s): submit them in parts, or as an "
			       "array",
			       u->whose, jobs, burst, u->keys,
			       quota_has(&u->quota, QUOTA_SUBMIT_BURST) ? "submit_burst"
									: "submit_rate");
	*ret_code = EXIT_TRY_AGAIN;
	return err_set(err, -EAGAIN,
		       "%s: %" PRId64 " job%s may be submitted now, and the request has %" PRId64
		       "; at most %s and %" PRId64 " at once (%ssubmit_rate): try again in %s",
		       u->whose, room, plural((uint64_t)room, "", "s"), jobs, rate, burst, u->keys,
		       wait_words(rate_limit_wait_us(txn, &u->of, jobs)).text);
}

static int check_load(struct txn *txn, const struct load *l, int *ret_code, struct err *err)
{
	struct under under[LIMITS];
	size_t n = limits_of(txn, l, under);

	for (size_t i = 0; i < n; i++) {
		int rc = check_waiting(&under[i], l, ret_code, err);

		if (rc == 0)
			rc = check_rate(txn, &under[i], l, ret_code, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void charge_load(struct txn *txn, const struct load *l)
{
	struct under under[LIMITS];
	size_t n = limits_of(txn, l, under);

	for (size_t i = 0; i < n; i++)
		rate_limit_charge(txn, &under[i].of, (int64_t)l->jobs);
}

/* ---- of a submission ---- */

static uint64_t elements_of(const Armada__JobSpec *s)
{
	uint64_t sum = s->n_array == 0;

	for (size_t i = 0; i < s->n_array; i++)
		sum += steps_count(s->array[i]->first, s->array[i]->last, s->array[i]->step);
	return sum;
}

static int by_queue(const void *a, const void *b)
{
	return strcmp((*(Armada__JobSpec *const *)a)->queue, (*(Armada__JobSpec *const *)b)->queue);
}

static int by_account(const void *a, const void *b)
{
	return strcmp((*(Armada__JobSpec *const *)a)->account,
		      (*(Armada__JobSpec *const *)b)->account);
}

/* The loads of a request while they are collected. */
struct loads {
	struct txn *txn;
	const char *user;
	struct load *list;
	size_t count;
};

static struct load *begin_load(struct loads *to, const struct queue *q,
			       const struct sched_account *account)
{
	to->list[to->count] = (struct load){.queue = q, .account = account, .user = to->user};
	return &to->list[to->count++];
}

static void add_job(struct load *l, const Armada__JobSpec *s)
{
	l->jobs++;
	l->elements += elements_of(s);
}

static void add_queues(struct loads *to, Armada__JobSpec **jobs, size_t n)
{
	struct load *l = NULL;

	qsort(jobs, n, sizeof(*jobs), by_queue);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_queue(&jobs[i - 1], &jobs[i]) != 0)
			l = begin_load(to, user_queue_for(to->txn, jobs[i]->queue), NULL);
		add_job(l, jobs[i]);
	}
}

static void add_accounts(struct loads *to, Armada__JobSpec **jobs, size_t n)
{
	const struct sched_account *account = NULL;
	struct load *l = NULL;

	if (!to->txn->policy->account_count)
		return;
	qsort(jobs, n, sizeof(*jobs), by_account);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_account(&jobs[i - 1], &jobs[i]) != 0) {
			account = account_limits(to->txn->policy, jobs[i]->account);
			l = account ? begin_load(to, NULL, account) : NULL;
		}
		if (l)
			add_job(l, jobs[i]);
	}
}

/* One load for each queue and each account of the request, and a last one for the sum. */
static struct load *loads_of(struct txn *txn, const Armada__SubmitRequest *m, size_t *ret_count)
{
	Armada__JobSpec **jobs = arena_memdup(txn->arena, m->jobs, m->n_jobs * sizeof(*jobs));
	struct loads to = {
		.txn = txn,
		.user = txn->in->caller->user,
		.list = arena_zalloc(txn->arena, 2 * m->n_jobs + 1, sizeof(*to.list)),
	};
	struct load *all;

	add_queues(&to, jobs, m->n_jobs);
	add_accounts(&to, jobs, m->n_jobs);
	all = begin_load(&to, NULL, NULL);
	for (size_t i = 0; i < m->n_jobs; i++)
		add_job(all, jobs[i]);
	*ret_count = to.count;
	return to.list;
}

int pending_quota_admit(struct txn *txn, const Armada__SubmitRequest *m, int *ret_code,
			struct err *err)
{
	size_t n;
	struct load *list = loads_of(txn, m, &n);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = check_load(txn, &list[i], ret_code, err);
	return rc;
}

void pending_quota_charge(struct txn *txn, const Armada__SubmitRequest *m)
{
	size_t n;
	struct load *list = loads_of(txn, m, &n);

	for (size_t i = 0; i < n; i++)
		charge_load(txn, &list[i]);
}

/* ---- of a job that is moved ---- */

enum { MOVES = 2 };

/* The loads of a job for the queue and the account that it gets. */
static size_t loads_of_job(struct txn *txn, const struct job *j, const Armada__JobSpec *to,
			   struct load ret[MOVES])
{
	const struct queue *q = queue_find(txn->state, to->queue);
	const struct sched_account *account = account_limits(txn->policy, to->account);
	const struct load each = {.user = j->user->name, .jobs = 1, .elements = j->waiting.total};
	size_t n = 0;

	if (q && q != j->queue) {
		ret[n] = each;
		ret[n++].queue = q;
	}
	if (account && strcmp(to->account, j->spec->account) != 0) {
		ret[n] = each;
		ret[n++].account = account;
	}
	return n;
}

int pending_quota_move(struct txn *txn, const struct job *j, const Armada__JobSpec *to,
		       struct err *err)
{
	struct load list[MOVES];
	size_t n = loads_of_job(txn, j, to, list);
	int code, rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = check_load(txn, &list[i], &code, err);
	return rc;
}

void pending_quota_moved(struct txn *txn, const struct job *j, const Armada__JobSpec *to)
{
	struct load list[MOVES];
	size_t n = loads_of_job(txn, j, to, list);

	for (size_t i = 0; i < n; i++)
		charge_load(txn, &list[i]);
}
