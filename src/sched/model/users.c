/*
 * Users and their running jobs: in a queue (a queue user), and in the whole cluster.
 *
 * Input: elements that start and end, and the limits of the configuration. Output: the sums that
 * limits need, updated with each start and end. Each job knows its queue user, and so its user; the
 * queue has the sum over all users. Accounts (accounts.h) have the same sums. A user with a
 * limit has separate subqueues: a round skips all jobs of a user at the limit in one step for each
 * subqueue, without visiting them.
 */
#include "sched/model/accounts.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <string.h>

/* --- names --------------------------------------------------------------------------------- */

static bool same_user(const void *arg, uint32_t user, const void *what)
{
	return strcmp(((const struct model *)arg)->users.list[user].name, what) == 0;
}

static uint32_t user_intern(struct model *m, const char *name)
{
	uint32_t user = map_find(&m->users.map, hash_text(name), same_user, m, name);

	if (user != NIL)
		return user;
	user = TABLE_PLACE(&m->users, free_next);
	m->users.list[user] = (struct user){.name = xstrdup(name), .quota = m->users.quota};
	map_add(&m->users.map, hash_text(name), user);
	return user;
}

static void user_release(struct model *m, uint32_t user)
{
	struct user *u = &m->users.list[user];

	if (u->queue_users || u->named)
		return;
	map_remove(&m->users.map, hash_text(u->name), user);
	free(u->name);
	*u = (struct user){.free_next = m->users.unused};
	m->users.unused = user;
}

static bool same_queue_user(const void *arg, uint32_t queue_user, const void *what)
{
	const struct queue_user *a = &((const struct model *)arg)->users.in_queue.list[queue_user],
				*b = what;

	return a->queue == b->queue && a->user == b->user;
}

static uint32_t hash_queue_user(const struct queue_user *t)
{
	return hash_u64((uint64_t)t->queue << 32 | t->user);
}

uint32_t users_join(struct model *m, uint32_t queue, const char *user)
{
	struct queue_user t = {.queue = queue};
	uint32_t queue_user;

	if (!user)
		return NIL;
	t.user = user_intern(m, user);
	queue_user = map_find(&m->users.in_queue.map, hash_queue_user(&t), same_queue_user, m, &t);
	if (queue_user == NIL) {
		queue_user = TABLE_PLACE(&m->users.in_queue, free_next);
		m->users.in_queue.list[queue_user] = t;
		m->users.list[t.user].queue_users++;
		map_add(&m->users.in_queue.map, hash_queue_user(&t), queue_user);
	}
	m->users.in_queue.list[queue_user].jobs++;
	m->users.list[m->users.in_queue.list[queue_user].user].jobs++;
	return queue_user;
}

void users_leave(struct model *m, uint32_t queue_user)
{
	struct queue_user *t = &m->users.in_queue.list[queue_user];
	uint32_t user;

	if (queue_user == NIL)
		return;
	m->users.list[t->user].jobs--;
	if (--t->jobs)
		return;
	user = t->user;
	map_remove(&m->users.in_queue.map, hash_queue_user(t), queue_user);
	*t = (struct queue_user){.free_next = m->users.in_queue.unused};
	m->users.in_queue.unused = queue_user;
	m->users.list[user].queue_users--;
	user_release(m, user);
}

uint32_t users_of_job(const struct model *m, uint32_t job)
{
	uint32_t queue_user = m->jobs.list[job].queue_user;

	return queue_user == NIL ? NIL : m->users.in_queue.list[queue_user].user;
}

uint32_t users_keeper(const struct model *m, const char *user)
{
	uint32_t at = user && m->users.keepers
			      ? map_find(&m->users.map, hash_text(user), same_user, m, user)
			      : NIL;

	return at != NIL && m->users.list[at].keeping ? at + 1 : 0;
}

const char *users_name(const struct model *m, uint32_t queue_user)
{
	return m->users.list[m->users.in_queue.list[queue_user].user].name;
}

/* --- use ----------------------------------------------------------------------------------- */

size_t users_spendings(struct model *m, uint32_t job, struct spending *ret[USERS_SPENDINGS])
{
	const struct job *j = &m->jobs.list[job];
	size_t n = 0;

	ret[n++] = &m->queues.list[m->subqueues.list[j->subqueue].queue].spending;
	if (j->queue_user != NIL) {
		struct queue_user *t = &m->users.in_queue.list[j->queue_user];

		ret[n++] = &t->spending;
		ret[n++] = &m->users.list[t->user].spending;
	}
	if (j->account_user != NIL) {
		struct account_user *t = &m->accounts.of_user.list[j->account_user];

		ret[n++] = &t->spending;
		ret[n++] = &m->accounts.list[t->account].spending;
	}
	return n;
}

void users_spend(struct model *m, uint32_t job, const int64_t *amounts, int sign)
{
	struct spending *of[USERS_SPENDINGS];

	for (size_t i = 0, n = users_spendings(m, job, of); i < n; i++)
		amounts_change(of[i]->now.amounts, amounts, sign, m->dims);
}

void users_count(struct model *m, uint32_t job, int64_t elements)
{
	struct spending *of[USERS_SPENDINGS];

	for (size_t i = 0, n = users_spendings(m, job, of); i < n; i++)
		of[i]->now.running += elements;
}

void users_count_replacement(struct model *m, uint32_t job, int sign)
{
	const struct subqueue *l = &m->subqueues.list[m->jobs.list[job].subqueue];

	users_spend(m, job, job_shape_sum(m, l->shape), sign);
	m->queues.list[l->queue].replacements += (uint32_t)sign;
}

/* --- limits -------------------------------------------------------------------------------- */

bool users_limits_running(const struct quota *m)
{
	for (int kind = 1; m->set && kind < QUOTA_ALL; kind++)
		if (quota_has(m, kind) && quota_is_running(kind))
			return true;
	return false;
}

uint32_t users_quota_user(const struct model *m, bool replaces, uint32_t queue, uint32_t queue_user)
{
	if (replaces)
		return OWNER_REPLACEMENT;
	if (queue_user == NIL)
		return NIL;
	return users_limits_running(&m->queues.list[queue].user_quota) ||
			       users_limits_running(
				       &m->users.list[m->users.in_queue.list[queue_user].user]
						.quota)
		       ? queue_user
		       : NIL;
}

void sched_queue_quota(struct sched *s, const char *name, const struct quota *quota)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);

	if (queue != NIL)
		m->queues.list[queue].quota = *quota;
}

void sched_queue_user_quota(struct sched *s, const char *name, const struct quota *quota)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);
	bool had;

	if (queue == NIL)
		return;
	had = users_limits_running(&m->queues.list[queue].user_quota);
	m->queues.list[queue].user_quota = *quota;
	if (had != users_limits_running(quota))
		subqueue_divide(m, queue);
}

/* The general limits, replaced by the user's own. */
static void combine(const struct model *m, struct user *u)
{
	u->quota = m->users.quota;
	for (int kind = 1; kind < QUOTA_ALL; kind++)
		if (quota_has(&u->own, kind))
			quota_put(&u->quota, kind, u->own.of[kind]);
}

/* Remove the limits of all users that have their own. */
static void clear_own_limits(struct model *m)
{
	for (uint32_t i = 0; i < m->users.count; i++) {
		if (!m->users.list[i].named)
			continue;
		m->users.list[i].named = false;
		m->users.list[i].own = (struct quota){0};
		user_release(m, i);
	}
}

static void find_resources(struct model *m)
{
	for (int kind = 0; kind < QUOTA_ALL; kind++)
		m->users.quota_resource[kind] = NIL;
	for (uint32_t r = 0; r < m->dims; r++)
		m->users.quota_resource[quota_of_resource(m->resources[r], r)] = r;
}

void users_set_limits(struct model *m, const struct sched_config *config)
{
	find_resources(m);
	m->users.quota = config->user_quota;
	clear_own_limits(m);
	for (size_t i = 0; i < config->user_count; i++) {
		uint32_t user = user_intern(m, config->users[i].name);

		m->users.list[user].named = true;
		m->users.list[user].own = config->users[i].quota;
	}
	for (size_t i = 0; i < m->users.count; i++)
		if (m->users.list[i].name)
			combine(m, &m->users.list[i]);
	subqueue_divide(m, NIL);
}
