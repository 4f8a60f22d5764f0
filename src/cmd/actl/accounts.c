/*
 * actl show accounts: the accounts of armada.conf, who may name them, their limits and their use. actl
 * show account: one of them, as a block, with the use of each user.
 *
 * The columns of the limits are made from QUOTA_TABLE (conf/quota.h).
 */
#include "cmd/actl/accounts.h"

#include "cmd/listing/resources.h"
#include "conf/quota.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROW(row) ((const Armada__AccountRow *)(row))

/* ---- who may name it ---- */

static void add_names(const char *what, char *const *names, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(out, ", %s %s", what, names[i]);
}

static bool is_user(const Armada__AccountRow *r, const char *name)
{
	for (size_t i = 0; i < r->n_users; i++)
		if (strcmp(r->users[i], name) == 0)
			return true;
	return false;
}

static void people_text(const void *row, struct buf *out)
{
	if (!ROW(row)->restricted) {
		buf_addstr(out, "all");
		return;
	}
	buf_addstr(out, "administrators");
	add_names("user", ROW(row)->users, ROW(row)->n_users, out);
	for (size_t i = 0; i < ROW(row)->n_default_for; i++)
		if (!is_user(ROW(row), ROW(row)->default_for[i]))
			buf_addf(out, ", user %s", ROW(row)->default_for[i]);
	add_names("group", ROW(row)->groups, ROW(row)->n_groups, out);
}

static json_t *people_json(const void *row)
{
	json_t *people;

	if (!ROW(row)->restricted)
		return json_null();
	people = json_object();
	json_object_set_new(people, "users",
			    column_strings_json((const char *const *)ROW(row)->users,
						ROW(row)->n_users));
	json_object_set_new(people, "groups",
			    column_strings_json((const char *const *)ROW(row)->groups,
						ROW(row)->n_groups));
	return people;
}

static void default_for_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_default_for; i++)
		buf_addf(out, "%s%s", i ? "," : "", ROW(row)->default_for[i]);
}

static json_t *default_for_json(const void *row)
{
	return column_strings_json((const char *const *)ROW(row)->default_for,
				   ROW(row)->n_default_for);
}

/* ---- limits ---- */

/* NULL: no such limit. */
static const Armada__Limit *find_limit(Armada__Limit *const *list, size_t count, int kind)
{
	for (size_t i = 0; i < count; i++)
		if ((int)list[i]->kind == kind)
			return list[i];
	return NULL;
}

static void add_limit(const Armada__Limit *l, const struct quota_row *row, struct buf *out)
{
	char text[32];

	if (!l)
		return;
	quota_print(row, l->value, text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *limit_value(const Armada__Limit *l)
{
	return l ? json_integer(l->value) : json_null();
}

#define LIMIT_OF(row, list, arg)                                                                   \
	find_limit(ROW(row)->list, ROW(row)->n_##list, ((const struct quota_row *)(arg))->kind)

static void limit_text(const void *row, const void *quota, struct buf *out)
{
	add_limit(LIMIT_OF(row, limits, quota), quota, out);
}

static json_t *limit_json(const void *row, const void *quota)
{
	return limit_value(LIMIT_OF(row, limits, quota));
}

static void user_limit_text(const void *row, const void *quota, struct buf *out)
{
	add_limit(LIMIT_OF(row, user_limits, quota), quota, out);
}

static json_t *user_limit_json(const void *row, const void *quota)
{
	return limit_value(LIMIT_OF(row, user_limits, quota));
}

/* ---- use ---- */

static int64_t use_amount(const Armada__AccountUse *u, const char *resource)
{
	return u ? resources_amount(u->used, u->n_used, resource) : 0;
}

/* The use that a limit counts; -1: a limit of submissions. */
static int64_t use_counted(const Armada__AccountUse *u, enum quota_kind kind)
{
	switch (kind) {
	case QUOTA_RUNNING:
		return (int64_t)u->running;
	case QUOTA_WAITING:
		return (int64_t)u->waiting;
	case QUOTA_CPU:
		return use_amount(u, "cpu");
	case QUOTA_MEMORY:
		return use_amount(u, "memory");
	case QUOTA_GPU:
		return use_amount(u, "gpu");
	default:
		return -1;
	}
}

static int64_t row_use(const void *row, const void *quota)
{
	const struct quota_row *q = quota;

	return ROW(row)->use ? use_counted(ROW(row)->use, q->kind) : 0;
}

static void users_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_users_use; i++)
		buf_addf(out, "%s%s=%" PRIu64, i ? "," : "", ROW(row)->users_use[i]->user,
			 ROW(row)->users_use[i]->running);
}

static json_t *users_json(const void *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ROW(row)->n_users_use; i++) {
		const Armada__AccountUse *u = ROW(row)->users_use[i];
		json_t *one = json_object();

		json_object_set_new(one, "user", json_string(u->user));
		json_object_set_new(one, "waiting", json_integer((json_int_t)u->waiting));
		json_object_set_new(one, "running", json_integer((json_int_t)u->running));
		json_object_set_new(one, "cpus", json_integer(use_amount(u, "cpu")));
		json_object_set_new(one, "memory", json_integer(use_amount(u, "memory")));
		json_object_set_new(one, "gpus", json_integer(use_amount(u, "gpu")));
		json_array_append_new(list, one);
	}
	return list;
}

/* clang-format off */
#define QUOTA_ARG(k) &quota_rows[(k) - 1]
#define LIMIT_COLUMN(k, n, u, t, most, what, more, option, heading, help, ...) \
	{#n, heading, 0, true, false, CELL_CUSTOM(limit_text, limit_json, QUOTA_ARG(k)), NULL, help},
#define USER_LIMIT_COLUMN(k, n, u, t, most, what, more, o, h, c, option, heading, help) \
	{"user_" #n, heading, 0, true, false, CELL_CUSTOM(user_limit_text, user_limit_json, QUOTA_ARG(k)), NULL, help},
static const struct column columns[] = {
	{"account", "ACCOUNT", 'a', false, false, CELL_TEXT(Armada__AccountRow, name), NULL, "Name of the account, for --account"},
	{"may", "MAY", 0, false, false, CELL_BOOL(Armada__AccountRow, usable), NULL, "Whether you may name the account"},
	{"default", "DEFAULT", 0, false, false, CELL_BOOL(Armada__AccountRow, is_default), NULL, "Whether it is the account of your jobs that name none"},
	{"for", "FOR", 0, false, true, CELL(people_text, people_json), NULL, "The users who may name it; in JSON the users and groups besides administrators, or null: all users"},
	{"default_for", "DEFAULTFOR", 0, false, true, CELL(default_for_text, default_for_json), NULL, "The users whose jobs get it by default_for of armada.conf"},
	{"waiting", "WAITING", 0, true, false, CELL_NUMBER(row_use, QUOTA_ARG(QUOTA_WAITING), NULL), NULL, "Number of pending elements"},
	{"running", "RUNNING", 0, true, false, CELL_NUMBER(row_use, QUOTA_ARG(QUOTA_RUNNING), NULL), NULL, "Number of running elements"},
	{"cpus", "CPUS", 'C', true, false, CELL_NUMBER(row_use, QUOTA_ARG(QUOTA_CPU), format_cpu), NULL, "Cpus that its jobs use; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, CELL_NUMBER(row_use, QUOTA_ARG(QUOTA_MEMORY), format_size), NULL, "Memory that its jobs use; bytes in JSON"},
	{"gpus", "GPUS", 0, true, false, CELL_NUMBER(row_use, QUOTA_ARG(QUOTA_GPU), NULL), NULL, "Gpus that its jobs use"},
	{"users_use", "USERS", 0, false, true, CELL(users_text, users_json), NULL, "The users with jobs that name it, and their running elements; in JSON with all that they use"},
	QUOTA_TABLE(LIMIT_COLUMN)
	QUOTA_TABLE(USER_LIMIT_COLUMN)
	{"max_resources", "MAXRES", 0, false, true, CELL_RESOURCES(Armada__AccountRow, max_resources), NULL, "Maximum amounts of other resources of running jobs"},
	{"user_max_resources", "UMAXRES", 0, false, true, CELL_RESOURCES(Armada__AccountRow, user_max_resources), NULL, "Maximum amounts of other resources of running jobs of each user"},
};
/* clang-format on */

const struct listing account_listing =
	LISTING("accounts",
		"account,may,default,running,max_running,cpus,max_cpus,gpus,max_gpus,for", columns);

/* ---- one account as a block ---- */

static void add_or_dash(const struct buf *text, int width)
{
	printf(" %*s", width, text->len ? (const char *)text->data : "-");
}

static void print_limits(const Armada__AccountRow *r)
{
	printf("  %-13s %12s %12s %12s\n", "LIMIT", "USED", "ALL", "EACH USER");
	for (size_t i = 0; i < QUOTA_ROWS; i++) {
		const struct quota_row *q = &quota_rows[i];
		CLEANUP_BUF struct buf used = {0}, all = {0}, each = {0};
		int64_t amount = row_use(r, q);
		char text[32];

		if (amount >= 0) {
			quota_print(q, amount, text, sizeof(text));
			buf_addstr(&used, text);
		}
		limit_text(r, q, &all);
		user_limit_text(r, q, &each);
		printf("  %-13s", q->name);
		add_or_dash(&used, 12);
		add_or_dash(&all, 12);
		add_or_dash(&each, 12);
		putchar('\n');
	}
}

static void print_resources(const char *name, Armada__Resource *const *list, size_t count)
{
	if (count)
		printf("  %s:", name);
	for (size_t i = 0; i < count; i++)
		printf("%s %s=%" PRId64, i ? "," : "", list[i]->name, list[i]->amount);
	if (count)
		putchar('\n');
}

static void print_users(const Armada__AccountRow *r)
{
	char cpus[32], memory[32];

	if (!r->n_users_use)
		return;
	printf("  %-13s %12s %12s %12s %12s %12s\n", "USER", "WAITING", "RUNNING", "CPUS", "MEMORY",
	       "GPUS");
	for (size_t i = 0; i < r->n_users_use; i++) {
		const Armada__AccountUse *u = r->users_use[i];

		format_cpu(use_amount(u, "cpu"), cpus, sizeof(cpus));
		format_size(use_amount(u, "memory"), memory, sizeof(memory));
		printf("  %-13s %12" PRIu64 " %12" PRIu64 " %12s %12s %12" PRId64 "\n", u->user,
		       u->waiting, u->running, cpus, memory, use_amount(u, "gpu"));
	}
}

static void print_block(const Armada__AccountRow *r)
{
	CLEANUP_BUF struct buf people = {0}, by_default = {0};

	people_text(r, &people);
	default_for_text(r, &by_default);
	printf("Account %s\n", r->name);
	printf("  You may name it: %s%s\n", r->usable ? "yes" : "no",
	       r->is_default ? ", and it is the account of your jobs that name none" : "");
	printf("  For:             %s\n", (char *)people.data);
	if (by_default.len)
		printf("  Default of:      %s\n", (char *)by_default.data);
	putchar('\n');
	print_limits(r);
	print_resources("max_resources", r->max_resources, r->n_max_resources);
	print_resources("user_max_resources", r->user_max_resources, r->n_user_max_resources);
	if (r->n_users_use)
		putchar('\n');
	print_users(r);
}

/* The rows of all replies. */
struct found {
	const void **rows;
	size_t count, cap;
	bool listed;
};

/* name "": all accounts */
static int ask(struct actl *a, const char *name, struct found *to, struct err *err)
{
	Armada__AccountsRequest q = ARMADA__ACCOUNTS_REQUEST__INIT;
	const Armada__AccountsReply *r;
	int rc;

	q.name = (char *)name;
	rc = connection_ask(a->c, MSG_ACCOUNTS, &q, MSG_ACCOUNTS_REPLY, a->arena, 0, &r, err);
	if (rc < 0)
		return rc;
	to->listed = r->listed;
	to->rows = grow(to->rows, &to->cap, to->count + r->n_rows, sizeof(*to->rows));
	for (size_t i = 0; i < r->n_rows; i++)
		to->rows[to->count++] = r->rows[i];
	return 0;
}

static int print(struct actl *a, const struct found *found, struct err *err)
{
	if (!found->listed && a->count)
		return err_set(err, -ENOENT,
			       "armada.conf lists no accounts: a job may name any account");
	if (a->count && !a->listing.json && !a->listing.format) {
		for (size_t i = 0; i < found->count; i++) {
			if (i)
				putchar('\n');
			print_block(found->rows[i]);
		}
		return 0;
	}
	if (!found->listed && !a->listing.json)
		fprintf(stderr,
			"actl: armada.conf lists no accounts: a job may name any account\n");
	return listing_print(&account_listing, &a->listing, found->rows, found->count, stdout, err);
}

int actl_show_accounts(struct actl *a, struct err *err)
{
	struct found found = {0};
	int rc = listing_check(&account_listing, &a->listing, err);

	for (size_t i = 0; rc == 0 && i < (a->count ? a->count : 1); i++)
		rc = ask(a, a->count ? a->args[i] : "", &found, err);
	if (rc == 0)
		rc = print(a, &found, err);
	free(found.rows);
	return rc;
}
