/*
 * Routes that list what a command lists, without conditions or with few: classes, limits, accounts, rights,
 * resources, notify targets, tokens. The columns are those of the command.
 */
#include "armrestd/routes.h"
#include "cmd/actl/accounts.h"
#include "cmd/actl/classes.h"
#include "cmd/actl/cluster.h"
#include "cmd/actl/counters.h"
#include "cmd/actl/limits.h"
#include "cmd/actl/notify.h"
#include "cmd/actl/permissions.h"
#include "cmd/actl/token.h"

#include <errno.h>

/* The answer: the rows under the name of the listing. */
static void answer(struct exchange *x, const struct listing *l, const void *rows, size_t count)
{
	x->json = listing_json_new();
	json_object_set_new(x->json, l->key, listing_json(l, rows, count));
}

int list_classes(struct exchange *x, struct err *err)
{
	Armada__ClassesRequest q = ARMADA__CLASSES_REQUEST__INIT;
	const Armada__ClassesReply *r;
	int rc = exchange_ask(x, MSG_CLASSES, &q, MSG_CLASSES_REPLY, &r, err);

	if (rc == 0)
		answer(x, &class_listing, r->rows, r->n_rows);
	return rc;
}

int list_counters(struct exchange *x, struct err *err)
{
	Armada__CountersRequest q = ARMADA__COUNTERS_REQUEST__INIT;
	const Armada__CountersReply *r;
	int rc = exchange_ask(x, MSG_COUNTERS, &q, MSG_COUNTERS_REPLY, &r, err);

	if (rc == 0)
		answer(x, &counter_listing, r->rows, r->n_rows);
	return rc;
}

int list_limits(struct exchange *x, struct err *err)
{
	Armada__LimitsRequest q = ARMADA__LIMITS_REQUEST__INIT;
	const Armada__LimitsReply *r;
	int rc = exchange_ask(x, MSG_LIMITS, &q, MSG_LIMITS_REPLY, &r, err);

	if (rc == 0)
		answer(x, &limit_listing, r->rows, r->n_rows);
	return rc;
}

/* name "": all accounts */
static int accounts(struct exchange *x, const char *name, struct err *err)
{
	Armada__AccountsRequest q = ARMADA__ACCOUNTS_REQUEST__INIT;
	const Armada__AccountsReply *r;
	int rc;

	q.name = (char *)(uintptr_t)name;
	rc = exchange_ask(x, MSG_ACCOUNTS, &q, MSG_ACCOUNTS_REPLY, &r, err);
	if (rc < 0)
		return rc;
	if (*name && !r->listed)
		return err_set(err, -ENOENT,
			       "armada.conf lists no accounts: a job may name any account");
	answer(x, &account_listing, r->rows, r->n_rows);
	return 0;
}

int list_accounts(struct exchange *x, struct err *err)
{
	return accounts(x, "", err);
}

int show_account(struct exchange *x, struct err *err)
{
	return accounts(x, x->ids[0], err);
}

int list_permissions(struct exchange *x, struct err *err)
{
	Armada__PermissionsRequest q = ARMADA__PERMISSIONS_REQUEST__INIT;
	const char *queue = exchange_query(x, "queue");
	const Armada__PermissionsReply *r;
	int rc;

	q.user = exchange_text(x, "user");
	q.queues = (char **)(uintptr_t)&queue;
	q.n_queues = queue != NULL;
	rc = exchange_ask(x, MSG_PERMISSIONS, &q, MSG_PERMISSIONS_REPLY, &r, err);
	if (rc == 0)
		answer(x, &permission_listing, r->rows, r->n_rows);
	return rc;
}

int list_resources(struct exchange *x, struct err *err)
{
	Armada__ResourcesRequest q = ARMADA__RESOURCES_REQUEST__INIT;
	const Armada__ResourcesReply *r;
	int rc = exchange_ask(x, MSG_RESOURCES, &q, MSG_RESOURCES_REPLY, &r, err);

	if (rc == 0)
		answer(x, &cluster_listing, r->rows, r->n_rows);
	return rc;
}

int list_notify(struct exchange *x, struct err *err)
{
	Armada__NotifyRequest q = ARMADA__NOTIFY_REQUEST__INIT;
	const Armada__NotifyReply *r;
	int rc = exchange_ask(x, MSG_NOTIFY, &q, MSG_NOTIFY_REPLY, &r, err);

	if (rc == 0)
		answer(x, &notify_listing, r->rows, r->n_rows);
	return rc;
}

int list_tokens(struct exchange *x, struct err *err)
{
	Armada__ListTokensRequest q = ARMADA__LIST_TOKENS_REQUEST__INIT;
	const Armada__ListTokensReply *r;
	bool all;
	int rc = exchange_flag(x, "all", &all, err);

	q.all = all;
	if (rc == 0)
		rc = exchange_ask(x, MSG_LIST_TOKENS, &q, MSG_LIST_TOKENS_REPLY, &r, err);
	if (rc == 0)
		answer(x, &token_listing, r->rows, r->n_rows);
	return rc;
}
