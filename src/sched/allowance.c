/* Limits in absolute numbers: of a queue, of a user in it, of a user in all. */
#include "sched/allowance.h"
#include "sched/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whose a limit is. */
enum whose { OF_QUEUE, OF_TENANT, OF_USER };

static const struct limit {
	enum most_kind kind;
	const char *what; /* that somebody uses */
	enum sched_why why;
} limits[] = {
	/* clang-format off */
	{MOST_RUNNING, NULL, WHY_USER_JOBS_LIMIT},
	{MOST_CPU, "cpus", WHY_USER_CPU_LIMIT},
	{MOST_MEMORY, "memory", WHY_USER_MEMORY_LIMIT},
	{MOST_GPU, "gpus", WHY_USER_GPU_LIMIT},
	/* clang-format on */
};

static const char *const names[MOST_KINDS] = {
#define X(kind, name, ...) [kind] = #name,
	MOST_TABLE(X)
#undef X
};

enum { LIMITS = sizeof(limits) / sizeof(*limits) };

/* A gang that may start or not, and the limit in question. */
struct claim {
	struct round *r;
	uint32_t queue, tenant; /* NIL: nobody's */
	int64_t elements;
	const int64_t *amounts;
	enum whose whose;
	const struct limit *limit;
	struct spending *of; /* who would exceed it */
	int64_t most, has, asks;
};

static const struct user *user_of(const struct claim *c)
{
	return &c->r->s->users[c->r->s->tenants[c->tenant].user];
}

/* "limit of queue long for each user: user_max_running" */
static const char *which_limit(const struct claim *c)
{
	const char *queue = c->r->s->queues[c->queue].name, *name = names[c->limit->kind];
	struct arena *a = c->r->arena;

	if (c->whose == OF_QUEUE)
		return arena_printf(a, "limit of queue %s: %s", queue, name);
	if (c->whose == OF_TENANT)
		return arena_printf(a, "limit of queue %s for each user: user_%s", queue, name);
	if (most_has(&user_of(c)->own, c->limit->kind))
		return arena_printf(a, "limit of user %s: users.%s", user_of(c)->name, name);
	return arena_printf(a, "limit of each user: user_limits.%s", name);
}

static const char *who(const struct claim *c)
{
	if (c->whose == OF_QUEUE)
		return arena_printf(c->r->arena, "queue %s", c->r->s->queues[c->queue].name);
	return arena_printf(c->r->arena, "user %s", user_of(c)->name);
}

/* With nothing else running it would be too much. */
static const char *never(const struct claim *c, const char *most, const char *asks)
{
	struct arena *a = c->r->arena;

	if (!c->limit->what)
		return arena_printf(a,
				    "it counts as %s %s, %s may have %s running (%s): it never "
				    "starts so",
				    asks, c->asks == 1 ? "job" : "jobs", who(c), most,
				    which_limit(c));
	return arena_printf(a, "it asks for %s %.*s, %s may use %s (%s): it never starts so", asks,
			    (int)(strlen(c->limit->what) - (strcmp(asks, "1") == 0)),
			    c->limit->what, who(c), most, which_limit(c));
}

static const char *now(const struct claim *c, const char *has, const char *most, const char *asks)
{
	struct arena *a = c->r->arena;
	const char *gang = "";

	if (c->limit->what)
		return arena_printf(a, "%s uses %s of at most %s %s, this job asks for %s (%s)",
				    who(c), has, most, c->limit->what, asks, which_limit(c));
	if (c->asks > 1)
		gang = arena_printf(a, ", this gang is %s", asks);
	return arena_printf(a, "%s has %s of at most %s jobs running%s (%s)", who(c), has, most,
			    gang, which_limit(c));
}

static void amount(const struct claim *c, int64_t n, char *out, size_t size)
{
	if (c->limit->what)
		reason_amount(c->r->s->most_resource[c->limit->kind], n, out, size);
	else
		snprintf(out, size, "%" PRId64, n > 0 ? n : 0);
}

static const char *text_of(const struct claim *c)
{
	char has[32], most[32], asks[32];

	amount(c, c->has, has, sizeof(has));
	amount(c, c->most, most, sizeof(most));
	amount(c, c->asks, asks, sizeof(asks));
	return c->asks > c->most ? never(c, most, asks) : now(c, has, most, asks);
}

/* Of a user with many kinds of job the same is said again and again: it is written once a round. */
static const char *tell(const struct claim *c)
{
	struct spending *p = c->of;

	if (p->told_round == c->r->s->rounds && p->told_about == (uint32_t)c->limit->kind &&
	    p->told_has == c->has && p->told_asks == c->asks)
		return p->told;
	p->told = text_of(c);
	p->told_round = c->r->s->rounds;
	p->told_about = (uint32_t)c->limit->kind;
	p->told_has = c->has;
	p->told_asks = c->asks;
	return p->told;
}

static enum sched_why why_of(const struct claim *c)
{
	if (c->asks > c->most)
		return WHY_BEYOND_LIMIT;
	if (c->whose == OF_QUEUE)
		return c->limit->what ? WHY_QUEUE_LIMIT : WHY_QUEUE_JOBS_LIMIT;
	return c->limit->why;
}

static int64_t sum(int64_t a, int64_t b)
{
	int64_t n;

	return __builtin_add_overflow(a, b, &n) ? INT64_MAX : n;
}

/* What was used when the round began, and what it has started since: preempting gives nothing back. */
static int64_t used(const struct claim *c, const struct spending *p, uint32_t resource)
{
	bool any = p->started_round == c->r->s->rounds;

	if (resource == NIL)
		return sum(p->now.running, any ? p->started.running : 0);
	return sum(p->now.amounts[resource], any ? p->started.amounts[resource] : 0);
}

/* The first of these limits that the gang would exceed is then in the claim. */
static bool exceeds(struct claim *c, enum whose whose, const struct most *most, struct spending *p)
{
	for (size_t i = 0; most->set && i < LIMITS; i++) {
		uint32_t resource = c->r->s->most_resource[limits[i].kind];

		if (!most_has(most, limits[i].kind) || (limits[i].what && resource == NIL))
			continue;
		c->asks = limits[i].what ? c->amounts[resource] : c->elements;
		c->has = used(c, p, resource);
		c->most = most->of[limits[i].kind];
		if (!c->asks || sum(c->has, c->asks) <= c->most)
			continue;
		c->limit = &limits[i];
		c->whose = whose;
		c->of = p;
		return true;
	}
	return false;
}

static bool exceeds_any(struct claim *c)
{
	struct sched *s = c->r->s;
	struct queue *q = &s->queues[c->queue];
	struct user *user;

	if (exceeds(c, OF_QUEUE, &q->most, &q->spending))
		return true;
	if (c->tenant == NIL)
		return false;
	user = &s->users[s->tenants[c->tenant].user];
	return exceeds(c, OF_TENANT, &q->user_most, &s->tenants[c->tenant].spending) ||
	       exceeds(c, OF_USER, &user->most, &user->spending);
}

enum verdict allowance_check(struct round *r, uint32_t lane, struct reason *ret_why)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[lane];
	struct claim c = {.r = r,
			  .queue = l->queue,
			  .tenant = s->jobs[l->cursor].tenant,
			  .elements = l->elements,
			  .amounts = key_sum(s, l->key)};

	if (l->who == WHO_VACANT || !exceeds_any(&c))
		return LIMIT_NONE;
	*ret_why = (struct reason){why_of(&c), tell(&c)};
	/* Where not even one more may run, nothing new of the queue starts, whatever it is. */
	return c.whose == OF_QUEUE && !c.limit->what && c.has >= c.most &&
			       !s->queues[l->queue].vacancies
		       ? LIMIT_QUEUE
		       : LIMIT_GANG;
}

static void charge(struct round *r, struct spending *p, int64_t elements, const int64_t *amounts)
{
	if (p->started_round != r->s->rounds)
		p->started = (struct use){0};
	p->started_round = r->s->rounds;
	p->started.running += elements;
	for (size_t d = 0; d < r->s->dims; d++)
		p->started.amounts[d] += amounts[d];
}

void allowance_charge(struct round *r, uint32_t job, const int64_t *amounts)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[s->jobs[job].lane];
	uint32_t tenant = s->jobs[job].tenant;

	if (l->who == WHO_VACANT) /* which was counted all along */
		return;
	charge(r, &s->queues[l->queue].spending, l->elements, amounts);
	if (tenant == NIL)
		return;
	charge(r, &s->tenants[tenant].spending, l->elements, amounts);
	charge(r, &s->users[s->tenants[tenant].user].spending, l->elements, amounts);
}

int64_t allowance_of(const struct sched *s, const struct queue *q, size_t resource)
{
	for (size_t i = 0; q->most.set && i < LIMITS; i++)
		if (limits[i].what && s->most_resource[limits[i].kind] == resource)
			return most_get(&q->most, limits[i].kind);
	return INT64_MAX;
}
