/*
 * Users and what runs of theirs: in a queue (a tenant), and in the whole cluster.
 *
 * What limits count is kept as elements start and end. Each job knows its tenant, and so its user; the
 * queue has the sum over all. Who is under a limit of their own has lanes of their own, so that what
 * they may not start is passed over lane by lane, whatever else waits.
 */
#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

/* --- names --------------------------------------------------------------------------------- */

static bool same_user(const void *arg, uint32_t user, const void *what)
{
	return strcmp(((const struct sched *)arg)->users[user].name, what) == 0;
}

static uint32_t user_intern(struct sched *s, const char *name)
{
	uint32_t user = map_find(&s->user_map, hash_text(name), same_user, s, name);

	if (user != NIL)
		return user;
	user = s->user_free;
	if (user != NIL) {
		s->user_free = s->users[user].free_next;
	} else {
		GROW(s->users, s->user_cap, s->user_count + 1);
		user = (uint32_t)s->user_count++;
	}
	s->users[user] = (struct user){.name = xstrdup(name), .most = s->user_most};
	map_add(&s->user_map, hash_text(name), user);
	return user;
}

static void user_release(struct sched *s, uint32_t user)
{
	struct user *u = &s->users[user];

	if (u->tenants || u->named)
		return;
	map_remove(&s->user_map, hash_text(u->name), user);
	free(u->name);
	*u = (struct user){.free_next = s->user_free};
	s->user_free = user;
}

static bool same_tenant(const void *arg, uint32_t tenant, const void *what)
{
	const struct tenant *a = &((const struct sched *)arg)->tenants[tenant], *b = what;

	return a->queue == b->queue && a->user == b->user;
}

static uint32_t hash_tenant(const struct tenant *t)
{
	return hash_u64((uint64_t)t->queue << 32 | t->user);
}

uint32_t tenant_intern(struct sched *s, uint32_t queue, const char *user)
{
	struct tenant t = {.queue = queue};
	uint32_t tenant;

	if (!user)
		return NIL;
	t.user = user_intern(s, user);
	tenant = map_find(&s->tenant_map, hash_tenant(&t), same_tenant, s, &t);
	if (tenant == NIL) {
		tenant = s->tenant_free;
		if (tenant != NIL) {
			s->tenant_free = s->tenants[tenant].free_next;
		} else {
			GROW(s->tenants, s->tenant_cap, s->tenant_count + 1);
			tenant = (uint32_t)s->tenant_count++;
		}
		s->tenants[tenant] = t;
		s->users[t.user].tenants++;
		map_add(&s->tenant_map, hash_tenant(&t), tenant);
	}
	s->tenants[tenant].jobs++;
	return tenant;
}

void tenant_release(struct sched *s, uint32_t tenant)
{
	struct tenant *t = &s->tenants[tenant];
	uint32_t user;

	if (tenant == NIL || --t->jobs)
		return;
	user = t->user;
	map_remove(&s->tenant_map, hash_tenant(t), tenant);
	*t = (struct tenant){.free_next = s->tenant_free};
	s->tenant_free = tenant;
	s->users[user].tenants--;
	user_release(s, user);
}

const char *tenant_name(const struct sched *s, uint32_t tenant)
{
	return s->users[s->tenants[tenant].user].name;
}

void users_done(struct sched *s)
{
	for (size_t i = 0; i < s->user_count; i++)
		free(s->users[i].name);
}

/* --- what runs ----------------------------------------------------------------------------- */

static void add(struct sched *s, struct use *u, const int64_t *amounts, int sign)
{
	for (size_t r = 0; r < s->dims; r++)
		u->amounts[r] += sign * amounts[r];
}

void tenant_spend(struct sched *s, uint32_t job, const int64_t *amounts, int sign)
{
	const struct job *j = &s->jobs[job];

	add(s, &s->queues[s->lanes[j->lane].queue].spending.now, amounts, sign);
	if (j->tenant == NIL)
		return;
	add(s, &s->tenants[j->tenant].spending.now, amounts, sign);
	add(s, &s->users[s->tenants[j->tenant].user].spending.now, amounts, sign);
}

void tenant_count(struct sched *s, uint32_t job, int64_t elements)
{
	const struct job *j = &s->jobs[job];

	s->queues[s->lanes[j->lane].queue].spending.now.running += elements;
	if (j->tenant == NIL)
		return;
	s->tenants[j->tenant].spending.now.running += elements;
	s->users[s->tenants[j->tenant].user].spending.now.running += elements;
}

void tenant_vacancy(struct sched *s, uint32_t job, int sign)
{
	const struct lane *l = &s->lanes[s->jobs[job].lane];

	tenant_spend(s, job, key_sum(s, l->key), sign);
	s->queues[l->queue].vacancies += (uint32_t)sign;
}

/* --- who is under limits ------------------------------------------------------------------- */

/* Is any of it about what runs? */
static bool limits_running(const struct most *m)
{
	return most_has(m, MOST_RUNNING) || most_has(m, MOST_CPU) || most_has(m, MOST_MEMORY) ||
	       most_has(m, MOST_GPU);
}

uint32_t tenant_who(const struct sched *s, uint64_t id, uint32_t queue, uint32_t tenant)
{
	if (id & SCHED_TASK_IDS)
		return WHO_VACANT;
	if (tenant == NIL)
		return NIL;
	return limits_running(&s->queues[queue].user_most) ||
			       limits_running(&s->users[s->tenants[tenant].user].most)
		       ? tenant
		       : NIL;
}

void sched_queue_most(struct sched *s, const char *name, const struct most *most)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue != NIL)
		s->queues[queue].most = *most;
}

void sched_queue_user_most(struct sched *s, const char *name, const struct most *most)
{
	uint32_t queue = view_queue_find(s, name);
	bool had;

	if (queue == NIL)
		return;
	had = limits_running(&s->queues[queue].user_most);
	s->queues[queue].user_most = *most;
	if (had != limits_running(most))
		lanes_divide(s, queue);
}

/* Everybody's, but for what is said of the user alone. */
static void combine(const struct sched *s, struct user *u)
{
	u->most = s->user_most;
	for (int kind = 1; kind < MOST_KINDS; kind++)
		if (most_has(&u->own, kind))
			most_put(&u->most, kind, u->own.of[kind]);
}

/* Forget what was said of single users. */
static void unname(struct sched *s)
{
	for (uint32_t i = 0; i < s->user_count; i++) {
		if (!s->users[i].named)
			continue;
		s->users[i].named = false;
		s->users[i].own = (struct most){0};
		user_release(s, i);
	}
}

static void find_resources(struct sched *s)
{
	static const char *const names[MOST_KINDS] = {
		[MOST_CPU] = "cpu", [MOST_MEMORY] = "memory", [MOST_GPU] = "gpu"};

	for (int kind = 0; kind < MOST_KINDS; kind++) {
		s->most_resource[kind] = NIL;
		for (uint32_t r = 0; names[kind] && r < s->dims; r++)
			if (strcmp(s->resources[r], names[kind]) == 0)
				s->most_resource[kind] = r;
	}
}

void users_limit(struct sched *s, const struct sched_config *config)
{
	find_resources(s);
	s->user_most = config->user_most;
	unname(s);
	for (size_t i = 0; i < config->user_count; i++) {
		uint32_t user = user_intern(s, config->users[i].name);

		s->users[user].named = true;
		s->users[user].own = config->users[i].most;
	}
	for (size_t i = 0; i < s->user_count; i++)
		if (s->users[i].name)
			combine(s, &s->users[i]);
	lanes_divide(s, NIL);
}
