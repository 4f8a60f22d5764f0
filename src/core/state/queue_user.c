#include "core/state/write.h"

#include "core/state/queue_user.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

const struct account *account_find(const struct state *state, const char *user)
{
	struct account *a;

	HASH_FIND_STR(state->accounts, user, a);
	return a;
}

static struct account *account_obtain(struct state *state, const char *user)
{
	struct account *a;

	HASH_FIND_STR(state->accounts, user, a);
	if (a)
		return a;
	a = xcalloc(1, sizeof(*a));
	a->name = xstrdup(user);
	HASH_ADD_KEYPTR(hh, state->accounts, a->name, strlen(a->name), a);
	return a;
}

const struct tenant *tenant_find(const struct state *state, const struct queue *q, const char *user)
{
	struct tenant key = {
		.of = {(struct queue *)q, (struct account *)account_find(state, user)}};
	struct tenant *t = NULL;

	if (key.of.account)
		HASH_FIND(hh, state->tenants, &key.of, sizeof(key.of), t);
	return t;
}

void tenant_join(struct state *state, struct job *j)
{
	struct tenant key = {.of = {j->queue, account_obtain(state, j->user->name)}}, *t;

	HASH_FIND(hh, state->tenants, &key.of, sizeof(key.of), t);
	if (!t) {
		t = xcalloc(1, sizeof(*t));
		t->of = key.of;
		t->of.account->tenants++;
		HASH_ADD(hh, state->tenants, of, sizeof(t->of), t);
	}
	t->jobs++;
	j->tenant = t;
}

void tenant_leave(struct state *state, struct job *j)
{
	struct tenant *t = j->tenant;
	struct account *a = t->of.account;

	j->tenant = NULL;
	if (--t->jobs)
		return;
	HASH_DEL(state->tenants, t);
	free(t);
	if (--a->tenants)
		return;
	HASH_DEL(state->accounts, a);
	free(a->name);
	free(a);
}

void tenant_waits(struct job *j, int64_t elements)
{
	j->tenant->has.waiting += (uint64_t)elements;
	j->tenant->of.account->has.waiting += (uint64_t)elements;
}

void tenant_active(struct job *j, int64_t elements)
{
	j->tenant->has.active += (uint64_t)elements;
	j->tenant->of.account->has.active += (uint64_t)elements;
}

void tenant_uses(struct task *t, int sign)
{
	struct job *j = t->element->job;
	const struct resources *one = spec_request(j->spec, t->group);

	resources_add(&j->tenant->has.used, one, sign);
	resources_add(&j->tenant->of.account->has.used, one, sign);
	resources_add(&j->queue->used, one, sign);
}

/* --- checking ------------------------------------------------------------------------------ */

/* What the jobs say of a tenant, a user or a queue. */
struct tally {
	const void *whose;
	struct usage counted;
	UT_hash_handle hh;
};

static struct usage *tally(struct tally **map, struct arena *a, const void *whose)
{
	struct tally *t;

	HASH_FIND_PTR(*map, &whose, t);
	if (!t) {
		t = arena_zalloc(a, 1, sizeof(*t));
		t->whose = whose;
		HASH_ADD_PTR(*map, whose, t);
	}
	return &t->counted;
}

static void count_job(const struct job *j, struct usage *ret)
{
	*ret = (struct usage){.waiting = j->waiting.total};
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		ret->active += e->task_count > 0;
		for (uint32_t t = 0; t < e->task_count; t++)
			if (e->tasks[t].state != TASK_ENDED || e->tasks[t].vacancy)
				resources_add(&ret->used, spec_request(j->spec, e->tasks[t].group),
					      1);
	}
}

static void add_usage(struct usage *sum, const struct usage *more)
{
	sum->waiting += more->waiting;
	sum->active += more->active;
	resources_add(&sum->used, &more->used, 1);
}

static int compare(const struct usage *has, const struct usage *counted, const char *whose,
		   const char *name, struct err *err)
{
	if (has->waiting == counted->waiting && has->active == counted->active &&
	    memcmp(&has->used, &counted->used, sizeof(has->used)) == 0)
		return 0;
	return err_set(err, -EINVAL,
		       "%s %s has %" PRIu64 " waiting and %" PRIu64 " active elements with %" PRId64
		       " of cpu, the books say %" PRIu64 ", %" PRIu64 " and %" PRId64,
		       whose, name, counted->waiting, counted->active, counted->used.amount[0],
		       has->waiting, has->active, has->used.amount[0]);
}

static int compare_all(const struct state *state, struct tally **map, struct arena *a,
		       struct err *err)
{
	int rc = 0;

	for (const struct queue *q = state->queues; q && !rc; q = q->hh.next) {
		struct usage has = {q->waiting, q->active, q->used};

		rc = compare(&has, tally(map, a, q), "queue", q->name, err);
	}
	for (const struct tenant *t = state->tenants; t && !rc; t = t->hh.next)
		rc = compare(&t->has, tally(map, a, t), "in a queue, user", t->of.account->name,
			     err);
	for (const struct account *u = state->accounts; u && !rc; u = u->hh.next)
		rc = compare(&u->has, tally(map, a, u), "user", u->name, err);
	return rc;
}

int tenants_check(const struct state *state, struct err *err)
{
	struct arena *a = arena_new(0);
	struct tally *map = NULL;
	int rc;

	for (size_t i = 0; i < state->job_slots; i++) {
		struct usage of_job;

		if (!state->jobs[i])
			continue;
		count_job(state->jobs[i], &of_job);
		add_usage(tally(&map, a, state->jobs[i]->queue), &of_job);
		add_usage(tally(&map, a, state->jobs[i]->tenant), &of_job);
		add_usage(tally(&map, a, state->jobs[i]->tenant->of.account), &of_job);
	}
	rc = compare_all(state, &map, a, err);
	HASH_CLEAR(hh, map);
	arena_free(a);
	return rc;
}
