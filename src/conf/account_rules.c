/*
 * Rules between several values of the accounts of armada.conf.
 *
 * In: a loaded configuration. Out: 0, or an error with the line of the row. A burst needs a rate, and a
 * user has at most one default account.
 */
#include "conf/private.h"

#include <errno.h>
#include <string.h>

static const char list_name[] = "accounts";

/* Adds the line of the row of an account. */
static int at_account(const struct conf *c, size_t i, const char *row, int rc, struct err *err)
{
	int line = conf_line(c, list_name, i, row);

	err_prefix(err, rc, "%s: %s: %s", list_name, c->accounts[i].name, row);
	return line ? err_prefix(err, rc, "line %d", line) : rc;
}

static int check_bursts(const struct conf *c, size_t i, struct err *err)
{
	const struct conf_quota *all = &c->accounts[i].quota, *each = &c->accounts[i].user_quota;
	int rc = conf_check_burst(&all->of[QUOTA_SUBMIT_BURST], &all->of[QUOTA_SUBMIT_RATE], "",
				  err);

	if (rc < 0)
		return at_account(c, i, "submit_burst", rc, err);
	rc = conf_check_burst(&each->of[QUOTA_SUBMIT_BURST], &each->of[QUOTA_SUBMIT_RATE], "user_",
			      err);
	return rc < 0 ? at_account(c, i, "user_submit_burst", rc, err) : 0;
}

/* NULL: the account is not the default of this user. */
static const char *default_of(const struct conf_account *a, const char *user)
{
	for (size_t i = 0; i < a->default_count; i++)
		if (strcmp(a->default_for[i], user) == 0)
			return a->name;
	return NULL;
}

/* Compares the users of an account with those of the accounts before it. */
static int check_defaults(const struct conf *c, size_t i, struct err *err)
{
	const struct conf_account *a = &c->accounts[i];

	for (size_t u = 0; u < a->default_count; u++)
		for (size_t k = 0; k < i; k++)
			if (default_of(&c->accounts[k], a->default_for[u]))
				return at_account(
					c, i, "default_for",
					err_set(err, -EINVAL,
						"user %.64s already has the default account '%s'; "
						"expected at most one for each user",
						a->default_for[u], c->accounts[k].name),
					err);
	return 0;
}

int conf_check_accounts(const struct conf *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->account_count; i++) {
		rc = check_bursts(c, i, err);
		if (rc == 0)
			rc = check_defaults(c, i, err);
	}
	return rc;
}
