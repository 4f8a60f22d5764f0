#include "asim/rounds/limits.h"
#include "asim/rounds/site.h"

#include <string.h>

/* The limits on running jobs only: a scenario has no limits on submission or on waiting jobs. */
const struct running_limit running_limits[RUNNING_LIMITS] = {
	{QUOTA_RUNNING, "max_running", "user_max_running", NULL},
	{QUOTA_CPU, "max_cpus", "user_max_cpus", "cpu"},
	{QUOTA_MEMORY, "max_memory", "user_max_memory", "memory"},
	{QUOTA_GPU, "max_gpus", "user_max_gpus", "gpu"},
};

/* Of any resources: { "fpga": 4 }. */
static void read_amounts(struct reader *r, const struct at *at, struct quota *ret)
{
	struct at item = {0};

	if (!at->value)
		return;
	doc_members(&r->doc, at, "amounts");
	while (doc_next(&r->doc, at, &item)) {
		size_t d = 0;

		while (d < r->sc->resource_count && strcmp(r->sc->resources[d], item.key) != 0)
			d++;
		if (d < r->sc->resource_count)
			quota_lower(ret, quota_of_resource(item.key, d),
				    doc_quantity(&r->doc, &item, item.key));
	}
}

void limits_read_quota(struct reader *r, const struct at *at, bool of_user, struct quota *ret)
{
	struct at amounts = doc_get(at, of_user ? "user_max_resources" : "max_resources");

	*ret = (struct quota){0};
	for (size_t i = 0; i < RUNNING_LIMITS; i++) {
		const struct running_limit *m = &running_limits[i];
		struct at value = doc_get(at, of_user ? m->user_name : m->name);

		if (!value.value)
			continue;
		quota_put(ret, m->kind,
			  m->resource ? doc_quantity(&r->doc, &value, m->resource)
				      : doc_int(&r->doc, &value, 0, INT64_C(1000000000000), 0));
	}
	read_amounts(r, &amounts, ret);
}

static void read_user(struct reader *r, const struct at *at, struct sched_user *ret)
{
	static const char *const keys[] = {"name",     "max_running",   "max_cpus", "max_memory",
					   "max_gpus", "max_resources", NULL};
	struct at name = doc_get(at, "name");

	if (!doc_object(&r->doc, at, keys))
		return;
	ret->name = reader_keep(r, doc_name(&r->doc, &name));
	limits_read_quota(r, at, false, &ret->quota);
	for (size_t i = 0; i < r->sc->user_count; i++)
		if (strcmp(r->sc->users[i].name, ret->name) == 0)
			doc_fail(&r->doc, &name, "there are two users %s", ret->name);
}

void limits_read_users(struct reader *r, const struct at *root)
{
	static const char *const keys[] = {"max_running", "max_cpus",      "max_memory",
					   "max_gpus",    "max_resources", NULL};
	struct at all = doc_get(root, "user_limits"), list = doc_get(root, "users");
	size_t n = doc_array(&r->doc, &list);

	site_users(r);
	if (!list.value && !all.value)
		return;
	if (all.value && doc_object(&r->doc, &all, keys))
		limits_read_quota(r, &all, false, &r->sc->user_quota);
	r->sc->users = arena_zalloc(r->arena, n + 1, sizeof(*r->sc->users));
	for (size_t i = 0; i < n && !r->doc.bad; i++) {
		struct at item = doc_item(&list, i);

		read_user(r, &item, &r->sc->users[i]);
		r->sc->user_count = i + 1;
	}
}

static void read_account(struct reader *r, const struct at *at, struct sched_account *ret)
{
	static const char *const keys[] = {
		"name",          "max_running",      "max_cpus",           "max_memory",
		"max_gpus",      "user_max_running", "user_max_cpus",      "user_max_memory",
		"user_max_gpus", "max_resources",    "user_max_resources", NULL};
	struct at name = doc_get(at, "name");

	if (!doc_object(&r->doc, at, keys))
		return;
	ret->name = reader_keep(r, doc_name(&r->doc, &name));
	limits_read_quota(r, at, false, &ret->quota);
	limits_read_quota(r, at, true, &ret->user_quota);
	for (size_t i = 0; i < r->sc->account_count; i++)
		if (strcmp(r->sc->accounts[i].name, ret->name) == 0)
			doc_fail(&r->doc, &name, "there are two accounts %s", ret->name);
}

/* Jobs may also name accounts that are not listed; these have no limits. */
void limits_read_accounts(struct reader *r, const struct at *root)
{
	struct at list = doc_get(root, "accounts");
	size_t n = doc_array(&r->doc, &list);

	site_accounts(r);
	if (!list.value)
		return;
	r->sc->accounts = arena_zalloc(r->arena, n + 1, sizeof(*r->sc->accounts));
	r->sc->account_count = 0;
	for (size_t i = 0; i < n && !r->doc.bad; i++) {
		struct at item = doc_item(&list, i);

		read_account(r, &item, &r->sc->accounts[i]);
		r->sc->account_count = i + 1;
	}
}
