/*
 * Account users and accounts (account_use.h). Input: jobs that enter and leave memory, or that get
 * another account. Output: the structs that hold the sums. A job without an account has none.
 */
#include "core/state/write.h"

#include "core/state/account_use.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

const struct account_usage *account_usage_find(const struct state *state, const char *account)
{
	struct account_usage *a;

	HASH_FIND_STR(state->account_usages, account, a);
	return a;
}

const struct account_user *account_user_find(const struct state *state, const char *account,
					     const char *user)
{
	struct account_user key = {
		.of = {(struct account_usage *)account_usage_find(state, account),
		       (struct user_usage *)user_usage_find(state, user)}};
	struct account_user *t = NULL;

	if (key.of.account && key.of.user_usage)
		HASH_FIND(hh, state->account_users, &key.of, sizeof(key.of), t);
	return t;
}

static struct account_usage *obtain(struct state *state, const char *account)
{
	struct account_usage *a;

	HASH_FIND_STR(state->account_usages, account, a);
	if (a)
		return a;
	a = xcalloc(1, sizeof(*a));
	a->name = xstrdup(account);
	HASH_ADD_KEYPTR(hh, state->account_usages, a->name, strlen(a->name), a);
	return a;
}

void account_user_join(struct state *state, struct job *j)
{
	struct account_user key = {0}, *t;

	if (!j->spec->account[0])
		return;
	key.of.account = obtain(state, j->spec->account);
	key.of.user_usage = j->queue_user->of.user_usage;
	HASH_FIND(hh, state->account_users, &key.of, sizeof(key.of), t);
	if (!t) {
		t = xcalloc(1, sizeof(*t));
		t->of = key.of;
		t->of.account->account_users++;
		HASH_ADD(hh, state->account_users, of, sizeof(t->of), t);
	}
	t->jobs++;
	j->account_user = t;
}

void account_user_leave(struct state *state, struct job *j)
{
	struct account_user *t = j->account_user;
	struct account_usage *a;

	j->account_user = NULL;
	if (!t || --t->jobs)
		return;
	a = t->of.account;
	HASH_DEL(state->account_users, t);
	free(t);
	if (--a->account_users)
		return;
	HASH_DEL(state->account_usages, a);
	free(a->name);
	free(a);
}
