/*
 * Accounts and account users (accounts.h).
 *
 * Input: jobs that name an account, and the limits of the configuration. Output: the records that
 * hold the sums (users.c changes them), and the key by which subqueues are divided. Jobs of an
 * account with a limit are in separate subqueues, as those of users are: a round skips all jobs of
 * an account at its limit in one step for each subqueue.
 */
#include "sched/model/accounts.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <string.h>

static bool same_account(const void *arg, uint32_t account, const void *what)
{
	return strcmp(((const struct model *)arg)->accounts.list[account].name, what) == 0;
}

static uint32_t intern(struct model *m, const char *name)
{
	uint32_t account = map_find(&m->accounts.map, hash_text(name), same_account, m, name);

	if (account != NIL)
		return account;
	account = TABLE_PLACE(&m->accounts, free_next);
	m->accounts.list[account] = (struct account){.name = xstrdup(name)};
	map_add(&m->accounts.map, hash_text(name), account);
	return account;
}

static void release(struct model *m, uint32_t account)
{
	struct account *a = &m->accounts.list[account];

	if (a->account_users || a->named)
		return;
	map_remove(&m->accounts.map, hash_text(a->name), account);
	free(a->name);
	*a = (struct account){.free_next = m->accounts.unused};
	m->accounts.unused = account;
}

static bool same_account_user(const void *arg, uint32_t account_user, const void *what)
{
	const struct account_user *a = &((const struct model *)arg)
						->accounts.of_user.list[account_user],
				  *b = what;

	return a->account == b->account && a->user == b->user;
}

static uint32_t hash_account_user(const struct account_user *t)
{
	return hash_u64((uint64_t)t->account << 32 | t->user);
}

uint32_t accounts_join(struct model *m, const char *account, uint32_t queue_user)
{
	struct account_users *all = &m->accounts.of_user;
	struct account_user t = {.user = NIL};
	uint32_t account_user;

	if (!account)
		return NIL;
	t.account = intern(m, account);
	if (queue_user != NIL)
		t.user = m->users.in_queue.list[queue_user].user;
	account_user = map_find(&all->map, hash_account_user(&t), same_account_user, m, &t);
	if (account_user == NIL) {
		account_user = TABLE_PLACE(all, free_next);
		all->list[account_user] = t;
		m->accounts.list[t.account].account_users++;
		map_add(&all->map, hash_account_user(&t), account_user);
	}
	all->list[account_user].jobs++;
	return account_user;
}

void accounts_leave(struct model *m, uint32_t account_user)
{
	struct account_users *all = &m->accounts.of_user;
	struct account_user *t;
	uint32_t account;

	if (account_user == NIL)
		return;
	t = &all->list[account_user];
	if (--t->jobs)
		return;
	account = t->account;
	map_remove(&all->map, hash_account_user(t), account_user);
	*t = (struct account_user){.free_next = all->unused};
	all->unused = account_user;
	m->accounts.list[account].account_users--;
	release(m, account);
}

const char *accounts_name(const struct model *m, uint32_t account_user)
{
	return m->accounts.list[m->accounts.of_user.list[account_user].account].name;
}

uint32_t accounts_payer(const struct model *m, bool replaces, uint32_t account_user)
{
	const struct account *a;

	if (replaces || account_user == NIL)
		return NIL;
	a = &m->accounts.list[m->accounts.of_user.list[account_user].account];
	return users_limits_running(&a->quota) || users_limits_running(&a->user_quota)
		       ? account_user
		       : NIL;
}

static void clear_limits(struct model *m)
{
	for (uint32_t i = 0; i < m->accounts.count; i++) {
		struct account *a = &m->accounts.list[i];

		if (!a->named)
			continue;
		a->named = false;
		a->quota = a->user_quota = (struct quota){0};
		release(m, i);
	}
}

void accounts_set_limits(struct model *m, const struct sched_config *config)
{
	clear_limits(m);
	for (size_t i = 0; i < config->account_count; i++) {
		uint32_t account = intern(m, config->accounts[i].name);

		m->accounts.list[account].named = true;
		m->accounts.list[account].quota = config->accounts[i].quota;
		m->accounts.list[account].user_quota = config->accounts[i].user_quota;
	}
}
