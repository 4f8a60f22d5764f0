/*
 * The account of a job (account.h). Input: the account that a request names, or none. Output: the
 * account of the job, which may be none, or a refusal with the accounts that the caller may name.
 *
 * Without accounts in armada.conf every valid name is accepted. The rights are those of the caller: an
 * administrator may give a job of another user any account. The default of a user who is not the
 * caller comes from default_for alone, because the groups of that user are not known here.
 */
#include "core/admission/account.h"

#include "conf/syntax_checks.h"
#include "core/view/rights.h"
#include "core/view/running_limit.h"
#include "util/buf.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <string.h>

enum { EXIT_UNKNOWN = 3, EXIT_DENIED = 4, NAMES_SHOWN = 200 };

/* The account whose default_for names the user. */
static const char *default_by_name(const struct core_policy *p, const char *user)
{
	for (size_t i = 0; i < p->account_count; i++)
		for (size_t k = 0; k < p->account_rules[i].default_count; k++)
			if (strcmp(p->account_rules[i].default_for[k], user) == 0)
				return p->accounts[i].name;
	return NULL;
}

const char *account_default(const struct core_policy *p, const struct caller *who)
{
	const char *name = who->user ? default_by_name(p, who->user) : NULL;
	size_t count = 0;

	if (name)
		return name;
	for (size_t i = 0; i < p->account_count; i++)
		if (rights_has_account(p, who, i)) {
			name = p->accounts[i].name;
			count++;
		}
	return count == 1 ? name : NULL;
}

/* The accounts that the caller may name; to be freed. */
static const char **usable(const struct admission *a, size_t *ret_count)
{
	const struct core_policy *p = a->txn->policy;
	const char **names = xcalloc(p->account_count + 1, sizeof(*names));

	*ret_count = 0;
	for (size_t i = 0; i < p->account_count; i++)
		if (rights_may_use_account(p, a->txn->in->caller, i))
			names[(*ret_count)++] = p->accounts[i].name;
	return names;
}

/* "you may name phys, bio" */
static const char *usable_text(const struct admission *a, const char *const *names, size_t count)
{
	CLEANUP_BUF struct buf text = {0};
	size_t i = 0;

	for (; i < count && text.len < NAMES_SHOWN; i++)
		buf_addf(&text, "%s%s", i ? ", " : "", names[i]);
	if (i < count)
		buf_addf(&text, " and %zu more", count - i);
	return count ? arena_printf(a->txn->arena, "you may name %s", (char *)text.data)
		     : "you may name none";
}

static int refuse(struct admission *a, bool exists)
{
	size_t count;
	CLEANUP_FREE const char **names = usable(a, &count);
	const char *text = usable_text(a, names, count);
	const char *near = nearest_word(a->spec->account, names, count);

	a->code = exists ? EXIT_DENIED : EXIT_UNKNOWN;
	if (near)
		return admit_no(a, "account '%s' %s; did you mean '%s'? (%s)", a->spec->account,
				exists ? "is not one of yours" : "does not exist", near, text);
	return admit_no(a, "account '%s' %s: %s", a->spec->account,
			exists ? "is not one of yours" : "does not exist", text);
}

static int need_one(struct admission *a)
{
	size_t count;
	CLEANUP_FREE const char **names = usable(a, &count);

	return admit_no(a,
			"the job names no account, and %s has no default; give one with --account: "
			"%s",
			a->user, usable_text(a, names, count));
}

static int fill_in(struct admission *a)
{
	const struct core_policy *p = a->txn->policy;
	const struct caller *who = a->txn->in->caller;
	bool own = who->user && strcmp(who->user, a->user) == 0;
	const char *name = own ? account_default(p, who) : default_by_name(p, a->user);

	if (name)
		a->spec->account = arena_strdup(a->txn->arena, name);
	return name || !p->require_account ? 0 : need_one(a);
}

int admit_account(struct admission *a)
{
	const struct core_policy *p = a->txn->policy;
	const struct sched_account *account;
	struct err why;

	if (!a->spec->account[0])
		return fill_in(a);
	if (check_account(a->spec->account, &why) < 0)
		return admit_no(a, "account: %s", why.text);
	if (!p->account_count)
		return 0;
	account = account_limits(p, a->spec->account);
	if (account &&
	    rights_may_use_account(p, a->txn->in->caller, (size_t)(account - p->accounts)))
		return 0;
	return refuse(a, account && !p->private);
}
