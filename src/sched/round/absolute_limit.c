/*
 * Limits in absolute numbers: of a queue, of a user in a queue, of a user in all queues, of an
 * account, of a user in an account.
 *
 * Input: the gang at which a subqueue stands. Output: a verdict and the reason that names the first
 * limit the gang would exceed. A task that replaces a failed one is not checked or charged, because
 * its element counts as running all the time. A preemption does not reduce the use within a round:
 * the preempted tasks may still run during their grace period.
 */

#include "sched/round/absolute_limit.h"
#include "util/plural.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The owner of a limit. */
enum limit_owner { OF_QUEUE, OF_QUEUE_USER, OF_USER, OF_ACCOUNT, OF_ACCOUNT_USER };

/* The reasons of a user and of an account that has reached a limit. */
static const struct {
	enum sched_why of_user, of_account;
} whys[QUOTA_KINDS] = {
	[QUOTA_RUNNING] = {WHY_USER_JOBS_LIMIT, WHY_ACCOUNT_JOBS_LIMIT},
	[QUOTA_CPU] = {WHY_USER_CPU_LIMIT, WHY_ACCOUNT_CPU_LIMIT},
	[QUOTA_MEMORY] = {WHY_USER_MEMORY_LIMIT, WHY_ACCOUNT_MEMORY_LIMIT},
	[QUOTA_GPU] = {WHY_USER_GPU_LIMIT, WHY_ACCOUNT_GPU_LIMIT},
};

/* A gang that may start or not, and the limit in question. */
struct claim {
	struct round *r;
	uint32_t queue, queue_user, account_user; /* NIL: the job has no user, no account */
	int64_t elements;
	const int64_t *amounts;
	enum limit_owner owner;
	enum quota_kind kind; /* the limit */
	uint32_t resource;    /* NIL: it counts jobs */
	struct spending *of;  /* the owner that would exceed the limit */
	int64_t quota, has, asks;
};

static const struct user *user_of(const struct claim *c)
{
	return &c->r->m->users.list[c->r->m->users.in_queue.list[c->queue_user].user];
}

static const char *account_of(const struct claim *c)
{
	return accounts_name(c->r->m, c->account_user);
}

/* "limit of queue long for each user: user_max_running" */
static const char *which_limit(const struct claim *c)
{
	const char *queue = c->r->m->queues.list[c->queue].name, *name = quota_name(c->kind);
	struct arena *a = c->r->arena;

	if (c->owner == OF_QUEUE)
		return arena_printf(a, "limit of queue %s: %s", queue, name);
	if (c->owner == OF_QUEUE_USER)
		return arena_printf(a, "limit of queue %s for each user: user_%s", queue, name);
	if (c->owner == OF_ACCOUNT)
		return arena_printf(a, "limit of account %s: accounts.%s", account_of(c), name);
	if (c->owner == OF_ACCOUNT_USER)
		return arena_printf(a, "limit of account %s for each user: accounts.user_%s",
				    account_of(c), name);
	if (quota_has(&user_of(c)->own, c->kind))
		return arena_printf(a, "limit of user %s: users.%s", user_of(c)->name, name);
	return arena_printf(a, "limit of each user: user_limits.%s", name);
}

static const char *who(const struct claim *c)
{
	if (c->owner == OF_QUEUE)
		return arena_printf(c->r->arena, "queue %s", c->r->m->queues.list[c->queue].name);
	if (c->owner == OF_ACCOUNT)
		return arena_printf(c->r->arena, "account %s", account_of(c));
	return arena_printf(c->r->arena, "user %s", user_of(c)->name);
}

/* "cpu" after the amount "1", else "cpus". */
static const char *what(const struct claim *c, const char *amount)
{
	const char *name = c->r->m->resources[c->resource];
	int r = resource_index(name);

	return r < 0 || strcmp(amount, "1") == 0 ? name : resource_plural((size_t)r);
}

/* The reason of a gang that exceeds the limit even if nothing else runs. */
static const char *impossible_text(const struct claim *c, const char *quota, const char *asks)
{
	struct arena *a = c->r->arena;

	if (c->resource == NIL)
		return arena_printf(a,
				    "it counts as %s %s, %s may have %s running (%s): it can "
				    "never start",
				    asks, plural(c->asks, "job", "jobs"), who(c), quota,
				    which_limit(c));
	return arena_printf(a, "it asks for %s %s, %s may use %s (%s): it can never start", asks,
			    what(c, asks), who(c), quota, which_limit(c));
}

static const char *exceeded_text(const struct claim *c, const char *has, const char *quota,
				 const char *asks)
{
	struct arena *a = c->r->arena;
	const char *gang = "";

	if (c->resource != NIL)
		return arena_printf(a, "%s uses %s of at most %s %s, this job asks for %s (%s)",
				    who(c), has, quota, what(c, quota), asks, which_limit(c));
	if (c->asks > 1)
		gang = arena_printf(a, ", this gang is %s", asks);
	return arena_printf(a, "%s has %s of at most %s %s running%s (%s)", who(c), has, quota,
			    plural((uint64_t)c->quota, "job", "jobs"), gang, which_limit(c));
}

static void amount(const struct claim *c, int64_t n, char *out, size_t size)
{
	if (c->resource != NIL)
		amounts_format(c->resource, n, out, size);
	else
		snprintf(out, size, "%" PRId64, n > 0 ? n : 0);
}

static const char *text_of(const struct claim *c)
{
	char has[32], quota[32], asks[32];

	amount(c, c->has, has, sizeof(has));
	amount(c, c->quota, quota, sizeof(quota));
	amount(c, c->asks, asks, sizeof(asks));
	return c->asks > c->quota ? impossible_text(c, quota, asks)
				  : exceeded_text(c, has, quota, asks);
}

/* Many shapes of one user get the same text. It is formatted once in a round. */
static const char *limit_text(const struct claim *c)
{
	struct spending *p = c->of;

	if (p->reported_round == c->r->s->rounds && p->reported_limit == (uint32_t)c->kind &&
	    p->reported_has == c->has && p->reported_asks == c->asks)
		return p->text;
	p->text = text_of(c);
	p->reported_round = c->r->s->rounds;
	p->reported_limit = (uint32_t)c->kind;
	p->reported_has = c->has;
	p->reported_asks = c->asks;
	return p->text;
}

static enum sched_why why_of(const struct claim *c)
{
	if (c->asks > c->quota)
		return WHY_BEYOND_LIMIT;
	if (c->owner == OF_QUEUE)
		return c->resource != NIL ? WHY_QUEUE_LIMIT : WHY_QUEUE_JOBS_LIMIT;
	if (c->owner == OF_ACCOUNT)
		return c->kind < QUOTA_KINDS ? whys[c->kind].of_account
					     : WHY_ACCOUNT_RESOURCE_LIMIT;
	return c->kind < QUOTA_KINDS ? whys[c->kind].of_user : WHY_USER_RESOURCE_LIMIT;
}

/*
 * The use when the round began, and that of the tasks that the round has started. Preemption does
 * not reduce it.
 */
static int64_t used(const struct claim *c, const struct spending *p, uint32_t resource)
{
	bool any = p->started_round == c->r->s->rounds;

	if (resource == NIL)
		return amounts_add(p->now.running, any ? p->started.running : 0);
	return amounts_add(p->now.amounts[resource], any ? p->started.amounts[resource] : 0);
}

/* If the gang would exceed one of these limits, the first one is stored in the claim. */
static bool exceeds(struct claim *c, enum limit_owner owner, const struct quota *quota,
		    struct spending *p)
{
	for (uint32_t left = quota->set; left; left &= left - 1) {
		enum quota_kind kind = (enum quota_kind)__builtin_ctz(left);
		uint32_t resource = c->r->m->users.quota_resource[kind];

		if (!quota_is_running(kind) || (kind != QUOTA_RUNNING && resource == NIL))
			continue;
		c->asks = resource != NIL ? c->amounts[resource] : c->elements;
		c->has = used(c, p, resource);
		c->quota = quota->of[kind];
		if (!c->asks || amounts_add(c->has, c->asks) <= c->quota)
			continue;
		c->kind = kind;
		c->resource = resource;
		c->owner = owner;
		c->of = p;
		return true;
	}
	return false;
}

static bool exceeds_of_account(struct claim *c)
{
	struct accounts *all = &c->r->m->accounts;
	struct account_user *t;
	struct account *a;

	if (c->account_user == NIL)
		return false;
	t = &all->of_user.list[c->account_user];
	a = &all->list[t->account];
	return exceeds(c, OF_ACCOUNT, &a->quota, &a->spending) ||
	       (t->user != NIL && exceeds(c, OF_ACCOUNT_USER, &a->user_quota, &t->spending));
}

static bool exceeds_of_user(struct claim *c)
{
	struct model *m = c->r->m;
	const struct queue *q = &m->queues.list[c->queue];
	struct user *user;

	if (c->queue_user == NIL)
		return false;
	user = &m->users.list[m->users.in_queue.list[c->queue_user].user];
	return exceeds(c, OF_QUEUE_USER, &q->user_quota,
		       &m->users.in_queue.list[c->queue_user].spending) ||
	       exceeds(c, OF_USER, &user->quota, &user->spending);
}

static bool exceeds_any(struct claim *c)
{
	struct queue *q = &c->r->m->queues.list[c->queue];

	return exceeds(c, OF_QUEUE, &q->quota, &q->spending) || exceeds_of_user(c) ||
	       exceeds_of_account(c);
}

enum limit_verdict absolute_limit_check(struct round *r, uint32_t subqueue, struct reason *ret_why)
{
	struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[subqueue];
	struct claim c = {.r = r,
			  .queue = l->queue,
			  .queue_user = m->jobs.list[l->cursor].queue_user,
			  .account_user = m->jobs.list[l->cursor].account_user,
			  .elements = l->elements,
			  .amounts = job_shape_sum(m, l->shape)};

	if (l->owner == OWNER_REPLACEMENT || !exceeds_any(&c))
		return LIMIT_NONE;
	*ret_why = (struct reason){why_of(&c), limit_text(&c)};
	/*
	 * If the queue may not run one more job, no new gang of the queue starts, whatever its
	 * shape.
	 */
	return c.owner == OF_QUEUE && c.resource == NIL && c.has >= c.quota &&
			       !m->queues.list[l->queue].replacements
		       ? LIMIT_QUEUE
		       : LIMIT_GANG;
}

static void charge(struct round *r, struct spending *p, int64_t elements, const int64_t *amounts)
{
	if (p->started_round != r->s->rounds)
		p->started = (struct usage){0};
	p->started_round = r->s->rounds;
	p->started.running += elements;
	amounts_change(p->started.amounts, amounts, 1, r->m->dims);
}

void absolute_limit_charge(struct round *r, uint32_t job, const int64_t *amounts)
{
	const struct subqueue *l = &r->m->subqueues.list[r->m->jobs.list[job].subqueue];
	struct spending *of[USERS_SPENDINGS];

	if (l->owner == OWNER_REPLACEMENT) /* a replacement is counted as running all the time */
		return;
	for (size_t i = 0, n = users_spendings(r->m, job, of); i < n; i++)
		charge(r, of[i], l->elements, amounts);
}

int64_t absolute_limit_of(const struct model *m, const struct queue *q, size_t resource)
{
	return quota_get(&q->quota, quota_of_resource(m->resources[resource], resource));
}
