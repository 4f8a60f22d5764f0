/*
 * Checks the limits in absolute numbers: each queue, user and account for which a round started a job must
 * be within its limits, counting all jobs that ran when the round began. Jobs that were preempted
 * in the round still count.
 */
#include "asim/rounds/check_quotas.h"
#include "asim/rounds/limits.h"

#include <stdio.h>
#include <string.h>

struct sums {
	int64_t running, amounts[SCHED_RESOURCES];
};

static void add(const struct scenario *sc, const struct scenario_shape *s, struct sums *to)
{
	to->running++;
	for (size_t d = 0; d < sc->resource_count; d++)
		to->amounts[d] += s->request[d] + s->licenses[d];
}

/* The owner of limits: the jobs that match all three; queue NONE, user and account NULL: any. */
struct owner {
	uint32_t queue;
	const char *user, *account;
};

static bool is_name(const char *name, const char *wanted)
{
	return !wanted || (name && strcmp(name, wanted) == 0);
}

static bool is_of(const struct scenario_shape *s, const struct owner *of)
{
	return (of->queue == NONE || s->queue == of->queue) && is_name(s->user, of->user) &&
	       is_name(s->account, of->account);
}

/* The jobs of the owner that ran when the round began or were started by it. */
static struct sums sum_up(const struct play *p, const struct owner *of)
{
	const struct outcome *o = &p->out;
	struct sums n = {0};

	for (uint32_t i = 0; i < p->sc->job_count; i++)
		if (p->jobs[i].state == JOB_RUNNING && is_of(p->sc->jobs[i].shape, of))
			add(p->sc, p->sc->jobs[i].shape, &n);
	for (size_t i = 0; i < o->preempted_count; i++)
		if (is_of(p->sc->jobs[o->preempted[i]].shape, of))
			add(p->sc, p->sc->jobs[o->preempted[i]].shape, &n);
	return n;
}

/*
 * Check the limits against which the started job counts: a resource it does not ask for has no
 * limit.
 */
static int check_one(const struct play *p, size_t round, const struct quota *quota,
		     const struct scenario_job *j, struct owner of)
{
	struct sums n;
	int faults = 0;

	if (!quota->set)
		return 0;
	n = sum_up(p, &of);
	for (size_t i = 0; i < RUNNING_LIMITS; i++) {
		const struct running_limit *m = &running_limits[i];
		bool over = !m->resource && n.running > quota_get(quota, m->kind);

		for (size_t d = 0; m->resource && d < p->sc->resource_count; d++)
			over = over || (strcmp(p->sc->resources[d], m->resource) == 0 &&
					j->shape->request[d] > 0 &&
					n.amounts[d] > quota_get(quota, m->kind));
		if (!over)
			continue;
		fprintf(stderr, "asim: check: round %zu: %s: started beyond %s of %s %s\n", round,
			j->id, m->name,
			of.account ? "account"
			: of.user  ? "user"
				   : "queue",
			of.account ? of.account
			: of.user  ? of.user
				   : p->sc->queues[of.queue].name);
		faults++;
	}
	for (size_t d = 0; d < p->sc->resource_count; d++) {
		enum quota_kind kind = quota_of_resource(p->sc->resources[d], d);

		if (kind < QUOTA_KINDS || j->shape->request[d] + j->shape->licenses[d] == 0 ||
		    n.amounts[d] <= quota_get(quota, kind))
			continue;
		fprintf(stderr, "asim: check: round %zu: %s: started beyond max_resources of %s\n",
			round, j->id, p->sc->resources[d]);
		faults++;
	}
	return faults;
}

/* The limits of a user: its own, or else the general ones. */
static struct quota quota_of(const struct scenario *sc, const char *user)
{
	struct quota m = sc->user_quota;

	for (size_t i = 0; i < sc->user_count; i++)
		for (int k = 1; strcmp(sc->users[i].name, user) == 0 && k < QUOTA_ALL; k++)
			if (quota_has(&sc->users[i].quota, k))
				quota_put(&m, k, sc->users[i].quota.of[k]);
	return m;
}

static int check_account(const struct play *p, size_t round, const struct scenario_job *j)
{
	const char *account = j->shape->account, *user = j->shape->user;
	int faults = 0;

	for (size_t i = 0; account && i < p->sc->account_count; i++) {
		const struct sched_account *a = &p->sc->accounts[i];

		if (strcmp(a->name, account) != 0)
			continue;
		faults += check_one(p, round, &a->quota, j, (struct owner){NONE, NULL, account});
		if (user)
			faults += check_one(p, round, &a->user_quota, j,
					    (struct owner){NONE, user, account});
	}
	return faults;
}

int check_quotas(const struct play *p, size_t round)
{
	const struct scenario *sc = p->sc;
	const struct scenario_shape *last = NULL;
	int faults = 0;

	for (size_t i = 0; i < p->out.scheduled_count; i++) {
		const struct scenario_job *j = &sc->jobs[p->out.scheduled[i]];
		const struct scenario_queue *q = &sc->queues[j->shape->queue];
		struct quota quota;

		if (j->shape == last)
			continue;
		last = j->shape;
		faults +=
			check_one(p, round, &q->quota, j, (struct owner){last->queue, NULL, NULL});
		faults += check_account(p, round, j);
		if (!last->user)
			continue;
		quota = quota_of(sc, last->user);
		faults += check_one(p, round, &q->user_quota, j,
				    (struct owner){last->queue, last->user, NULL});
		faults += check_one(p, round, &quota, j, (struct owner){NONE, last->user, NULL});
	}
	return faults;
}
