/*
 * Usage of resources by user, queue and account, kept up to date by the folds, and its check.
 *
 * Input: jobs that join or leave a queue, elements that wait or become active, and tasks that take
 * or free resources. Output: the sums in struct queue_user (a user in one queue), struct user_usage
 * (a user in all queues), struct queue, and of accounts (account_use.h). queue_users_check() counts
 * everything again from the jobs and compares; also what queues hold (queue_use.h). Caveat: a struct
 * exists only while its user has a job in memory (in that queue), so a job must subtract its elements
 * before it leaves a queue.
 */
#include "core/state/write.h"

#include "core/state/account_use.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

const struct user_usage *user_usage_find(const struct state *state, const char *user)
{
	struct user_usage *a;

	HASH_FIND_STR(state->user_usages, user, a);
	return a;
}

static struct user_usage *account_obtain(struct state *state, const char *user)
{
	struct user_usage *a;

	HASH_FIND_STR(state->user_usages, user, a);
	if (a)
		return a;
	a = xcalloc(1, sizeof(*a));
	a->name = xstrdup(user);
	HASH_ADD_KEYPTR(hh, state->user_usages, a->name, strlen(a->name), a);
	return a;
}

const struct queue_user *queue_user_find(const struct state *state, const struct queue *q,
					 const char *user)
{
	struct queue_user key = {
		.of = {(struct queue *)q, (struct user_usage *)user_usage_find(state, user)}};
	struct queue_user *t = NULL;

	if (key.of.user_usage)
		HASH_FIND(hh, state->queue_users, &key.of, sizeof(key.of), t);
	return t;
}

static void join(struct state *state, struct job *j)
{
	struct queue_user key = {.of = {j->queue, account_obtain(state, j->user->name)}}, *t;

	HASH_FIND(hh, state->queue_users, &key.of, sizeof(key.of), t);
	if (!t) {
		t = xcalloc(1, sizeof(*t));
		t->of = key.of;
		t->of.user_usage->queue_users++;
		HASH_ADD(hh, state->queue_users, of, sizeof(t->of), t);
	}
	t->jobs++;
	t->of.user_usage->jobs++;
	j->queue_user = t;
}

void queue_user_join(struct state *state, struct job *j)
{
	join(state, j);
	account_user_join(state, j);
}

static void leave(struct state *state, struct queue_user *t)
{
	struct user_usage *a = t->of.user_usage;

	a->jobs--;
	if (--t->jobs)
		return;
	HASH_DEL(state->queue_users, t);
	free(t);
	if (--a->queue_users)
		return;
	HASH_DEL(state->user_usages, a);
	free(a->name);
	free(a);
}

void queue_user_leave(struct state *state, struct job *j)
{
	account_user_leave(state, j);
	leave(state, j->queue_user);
	j->queue_user = NULL;
}

/* Joins first, so that the usage of the user stays. */
void queue_user_move(struct state *state, struct job *j)
{
	struct queue_user *from = j->queue_user;

	join(state, j);
	leave(state, from);
}

enum { USAGES = 4 };

/* The usages that the job counts for, besides that of its queue. */
static size_t usages_of(struct job *j, struct usage *ret[USAGES])
{
	size_t n = 0;

	ret[n++] = &j->queue_user->has;
	ret[n++] = &j->queue_user->of.user_usage->has;
	if (j->account_user) {
		ret[n++] = &j->account_user->has;
		ret[n++] = &j->account_user->of.account->has;
	}
	return n;
}

void queue_user_waits(struct job *j, int64_t elements)
{
	struct usage *of[USAGES];

	for (size_t i = 0, n = usages_of(j, of); i < n; i++)
		of[i]->waiting += (uint64_t)elements;
}

void queue_user_active(struct job *j, int64_t elements)
{
	struct usage *of[USAGES];

	for (size_t i = 0, n = usages_of(j, of); i < n; i++)
		of[i]->active += (uint64_t)elements;
}

void queue_user_uses_more(struct job *j, const struct resources *each, int64_t count)
{
	struct usage *of[USAGES];

	resources_add(&j->queue->used, each, count);
	for (size_t i = 0, n = usages_of(j, of); i < n; i++)
		resources_add(&of[i]->used, each, count);
}

void queue_user_uses(struct task *t, int sign)
{
	struct job *j = t->element->job;

	queue_user_uses_more(j, spec_request(j->spec, t->group), sign);
}

void queue_user_change_account(struct state *state, struct job *j)
{
	queue_user_waits(j, -(int64_t)j->waiting.total);
	account_user_leave(state, j);
	account_user_join(state, j);
	queue_user_waits(j, (int64_t)j->waiting.total);
}

/* --- checking ------------------------------------------------------------------------------ */

/* The usage of a queue user, a user or a queue, counted from the jobs. */
struct tally {
	const void *whose;
	struct usage counted;
	struct resources held; /* of queues */
	UT_hash_handle hh;
};

static struct tally *tally(struct tally **map, struct arena *a, const void *whose)
{
	struct tally *t;

	HASH_FIND_PTR(*map, &whose, t);
	if (!t) {
		t = arena_zalloc(a, 1, sizeof(*t));
		t->whose = whose;
		HASH_ADD_PTR(*map, whose, t);
	}
	return t;
}

static void count_job(const struct job *j, struct usage *ret, struct resources *held)
{
	*ret = (struct usage){.waiting = j->waiting.total};
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		ret->active += e->task_count > 0;
		if (e->task_count && j->spec->licenses) {
			resources_add(&ret->used, j->spec->licenses, 1);
			resources_add(held, j->spec->licenses, 1);
		}
		for (uint32_t k = 0; k < e->task_count; k++) {
			const struct task *t = &e->tasks[k];

			if (t->state != TASK_ENDED || t->replacement)
				resources_add(&ret->used, task_request(t), 1);
			if (t->state != TASK_ENDED && !e->lease_pending)
				resources_add(held, task_request(t), 1);
		}
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
		       " of cpu, the counters say %" PRIu64 ", %" PRIu64 " and %" PRId64,
		       whose, name, counted->waiting, counted->active, counted->used.amount[0],
		       has->waiting, has->active, has->used.amount[0]);
}

static int compare_held(const struct queue *q, const struct resources *counted, struct err *err)
{
	if (memcmp(&q->held, counted, sizeof(*counted)) == 0)
		return 0;
	return err_set(err, -EINVAL, "queue %s holds %" PRId64 " of cpu, the counter says %" PRId64,
		       q->name, counted->amount[0], q->held.amount[0]);
}

static int compare_accounts(const struct state *state, struct tally **map, struct arena *a,
			    struct err *err)
{
	int rc = 0;

	for (const struct account_user *t = state->account_users; t && !rc; t = t->hh.next)
		rc = compare(&t->has, &tally(map, a, t)->counted, "in an account, user",
			     t->of.user_usage->name, err);
	for (const struct account_usage *u = state->account_usages; u && !rc; u = u->hh.next)
		rc = compare(&u->has, &tally(map, a, u)->counted, "account", u->name, err);
	return rc;
}

static int compare_all(const struct state *state, struct tally **map, struct arena *a,
		       struct err *err)
{
	int rc = 0;

	for (const struct queue *q = state->queues; q && !rc; q = q->hh.next) {
		struct usage has = {q->waiting, q->active, q->used};

		rc = compare(&has, &tally(map, a, q)->counted, "queue", q->name, err);
		if (rc == 0)
			rc = compare_held(q, &tally(map, a, q)->held, err);
	}
	for (const struct queue_user *t = state->queue_users; t && !rc; t = t->hh.next)
		rc = compare(&t->has, &tally(map, a, t)->counted, "in a queue, user",
			     t->of.user_usage->name, err);
	for (const struct user_usage *u = state->user_usages; u && !rc; u = u->hh.next)
		rc = compare(&u->has, &tally(map, a, u)->counted, "user", u->name, err);
	return rc < 0 ? rc : compare_accounts(state, map, a, err);
}

int queue_users_check(const struct state *state, struct err *err)
{
	struct arena *a = arena_new(0);
	struct tally *map = NULL;
	int rc;

	for (size_t i = 0; i < state->job_slots; i++) {
		const struct job *j = state->jobs[i];
		struct usage of_job;

		if (!j)
			continue;
		count_job(j, &of_job, &tally(&map, a, j->queue)->held);
		add_usage(&tally(&map, a, j->queue)->counted, &of_job);
		add_usage(&tally(&map, a, j->queue_user)->counted, &of_job);
		add_usage(&tally(&map, a, j->queue_user->of.user_usage)->counted, &of_job);
		if (!j->account_user)
			continue;
		add_usage(&tally(&map, a, j->account_user)->counted, &of_job);
		add_usage(&tally(&map, a, j->account_user->of.account)->counted, &of_job);
	}
	rc = compare_all(state, &map, a, err);
	HASH_CLEAR(hh, map);
	arena_free(a);
	return rc;
}
