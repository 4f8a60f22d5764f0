/*
 * ACCOUNTS: the accounts of armada.conf, who may name them, their limits, and what is used of these.
 *
 * Input: the name of an account, or none for all. Output: rows, or a refusal with the nearest name. In
 * a private cluster a caller who may not watch all jobs sees the accounts that it may name, their sums,
 * and of the users only itself. Cost: O(accounts, and users with jobs that name one).
 */
#include "core/admission/account.h"
#include "core/request/request.h"
#include "core/state/account_use.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <string.h>

enum { EXIT_UNKNOWN = 3, USERS_MAX = 10000 };

struct listing {
	struct txn *txn;
	Armada__AccountsReply reply;
	bool sees_all;
	const char *by_default; /* the account of the caller's jobs that name none; NULL: none */
	size_t users;           /* rows of users so far */
};

static Armada__AccountUse *use_of(const struct listing *l, const char *user,
				  const struct usage *has)
{
	Armada__AccountUse *m = arena_alloc(l->txn->arena, sizeof(*m));

	armada__account_use__init(m);
	m->user = (char *)user;
	m->waiting = has->waiting;
	m->running = has->active;
	m->used = resources_message(has->used.amount, l->txn->arena, &m->n_used);
	return m;
}

static bool sees_user(const struct listing *l, const char *user)
{
	const char *self = l->txn->in->caller->user;

	return l->sees_all || (self && strcmp(self, user) == 0);
}

static void add_users(struct listing *l, const struct account_usage *all, Armada__AccountRow *row)
{
	row->users_use = arena_alloc(l->txn->arena, all->account_users * sizeof(*row->users_use));
	for (const struct account_user *t = l->txn->state->account_users; t; t = t->hh.next)
		if (t->of.account == all && l->users < USERS_MAX &&
		    sees_user(l, t->of.user_usage->name)) {
			row->users_use[row->n_users_use++] =
				use_of(l, t->of.user_usage->name, &t->has);
			l->users++;
		}
}

static void add_use(struct listing *l, Armada__AccountRow *row)
{
	static const struct usage none;
	const struct account_usage *all = account_usage_find(l->txn->state, row->name);

	row->use = use_of(l, "", all ? &all->has : &none);
	if (all)
		add_users(l, all, row);
}

/* The limits of resources that have none with a name. */
static Armada__Resource **amounts_of(const struct quota *quota, struct arena *a, size_t *ret_count)
{
	Armada__Resource **list = arena_alloc(a, resource_count() * sizeof(*list));

	*ret_count = 0;
	for (size_t r = 0; r < resource_count(); r++) {
		enum quota_kind kind = quota_of_resource(resource_name(r), r);
		Armada__Resource *m;

		if (kind < QUOTA_KINDS || !quota_has(quota, kind))
			continue;
		m = arena_alloc(a, sizeof(*m));
		armada__resource__init(m);
		m->name = (char *)resource_name(r);
		m->amount = quota_get(quota, kind);
		list[(*ret_count)++] = m;
	}
	return list;
}

static void add_row(struct listing *l, size_t i)
{
	const struct core_policy *p = l->txn->policy;
	const struct sched_account *limits = &p->accounts[i];
	const struct core_account *rules = &p->account_rules[i];
	struct arena *a = l->txn->arena;
	Armada__AccountRow *row = arena_alloc(a, sizeof(*row));

	armada__account_row__init(row);
	row->name = (char *)limits->name;
	row->usable = rights_may_use_account(p, l->txn->in->caller, i);
	row->is_default = l->by_default && strcmp(l->by_default, limits->name) == 0;
	row->restricted = rules->people.restricted;
	row->users = (char **)(uintptr_t)rules->people.users;
	row->n_users = rules->people.user_count;
	row->groups = (char **)(uintptr_t)rules->people.groups;
	row->n_groups = rules->people.group_count;
	row->default_for = (char **)(uintptr_t)rules->default_for;
	row->n_default_for = rules->default_count;
	row->limits = queue_quota_give(&limits->quota, a, &row->n_limits);
	row->user_limits = queue_quota_give(&limits->user_quota, a, &row->n_user_limits);
	row->max_resources = amounts_of(&limits->quota, a, &row->n_max_resources);
	row->user_max_resources = amounts_of(&limits->user_quota, a, &row->n_user_max_resources);
	add_use(l, row);
	l->reply.rows[l->reply.n_rows++] = row;
}

static bool sees(const struct listing *l, size_t i)
{
	return l->sees_all || rights_may_use_account(l->txn->policy, l->txn->in->caller, i);
}

static void refuse(const struct listing *l, const char *name)
{
	const struct core_policy *p = l->txn->policy;
	CLEANUP_FREE const char **names = xcalloc(p->account_count + 1, sizeof(*names));
	size_t count = 0;
	const char *near;

	for (size_t i = 0; i < p->account_count; i++)
		if (sees(l, i))
			names[count++] = p->accounts[i].name;
	near = nearest_word(name, names, count);
	if (near)
		reply_refuse(l->txn, EXIT_UNKNOWN,
			     "account '%.64s' does not exist; did you mean '%s'?", name, near);
	else
		reply_refuse(
			l->txn, EXIT_UNKNOWN,
			"account '%.64s' does not exist (actl show accounts shows the existing "
			"accounts)",
			name);
}

void req_accounts(struct txn *txn, const Armada__AccountsRequest *m)
{
	const struct core_policy *p = txn->policy;
	struct listing l = {
		.txn = txn,
		.sees_all = rights_sees_all(txn),
		.by_default = account_default(p, txn->in->caller),
	};

	armada__accounts_reply__init(&l.reply);
	l.reply.listed = p->account_count > 0;
	l.reply.rows = arena_alloc(txn->arena, p->account_count * sizeof(*l.reply.rows));
	for (size_t i = 0; i < p->account_count; i++)
		if (sees(&l, i) && (!m->name[0] || strcmp(m->name, p->accounts[i].name) == 0))
			add_row(&l, i);
	if (m->name[0] && l.reply.listed && !l.reply.n_rows)
		refuse(&l, m->name);
	else
		reply(txn, MSG_ACCOUNTS_REPLY, &l.reply);
}
