/*
 * Queues, permissions, and limits of users and accounts from armada.conf (policy_queue.h). Input: a
 * configuration. Output: messages and lists of the policy. Every user and group that is named must
 * exist; at startup an unknown name only produces a warning, and its grants are ignored.
 */
#include "armctld/policy_queue.h"
#include "armctld/policy_names.h"
#include "conf/queue_text.h"
#include "util/mem.h"
#include "util/names.h"

#include <string.h>

static int take_permissions(struct policy *p, const struct key_place *place,
			    const char *const *texts, size_t count, const struct permit **ret_list,
			    struct err *err)
{
	struct permit *list = arena_zalloc(p->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		int rc = permit_parse(texts[i], &list[i], err);

		if (rc < 0)
			return policy_at(place, rc, err);
		if (list[i].kind != PERMIT_ALL)
			rc = policy_check_name(p, place, list[i].kind == PERMIT_GROUP, list[i].name,
					       err);
		if (rc < 0)
			return rc;
	}
	*ret_list = list;
	return 0;
}

/* The names of users and groups in a queue, or in the template of users' own queues. */
static int check_queue(struct policy *p, struct key_place *place, const struct conf_queue *q,
		       struct err *err)
{
	const struct permit *list;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < QUEUE_FIELDS; i++) {
		const struct queue_field *f = &queue_fields[i];
		const struct armada_option_value *v = &q->values[i];

		place->what = place->list ? f->name : "user_queues: permissions";
		if (f->shape == QUEUE_SHAPE_PERMITS)
			rc = take_permissions(p, place, v->list, v->count, &list, err);
		else if (f->shape == QUEUE_SHAPE_USERS || f->shape == QUEUE_SHAPE_GROUPS)
			rc = policy_check_names(p, place, f->shape == QUEUE_SHAPE_GROUPS, v->list,
						v->count, err);
	}
	return rc;
}

static int take_users(struct policy *p, const struct conf *conf, struct err *err)
{
	struct sched_user *to = arena_zalloc(p->arena, conf->user_count + 1, sizeof(*to));

	for (size_t i = 0; i < conf->user_count; i++) {
		const struct key_place place = {conf, "users", i, conf->users[i].name, "name"};
		int rc = policy_check_names(p, &place, false, &conf->users[i].name, 1, err);

		if (rc < 0)
			return rc;
		to[i].name = conf->users[i].name;
		conf_quota_take(&conf->users[i].quota, &to[i].quota);
	}
	qsort(to, conf->user_count, sizeof(*to), names_compare);
	p->core.users = to;
	p->core.user_count = conf->user_count;
	conf_quota_take(&conf->user_limits, &p->core.user_quota);
	return 0;
}

static int take_queues(struct policy *p, const struct conf *conf, struct err *err)
{
	Armada__QueueSpec *to = arena_zalloc(p->arena, conf->queue_count + 1, sizeof(*to)), *one;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < conf->queue_count; i++) {
		struct key_place place = {conf, "queues", i, conf->queues[i].name, NULL};

		rc = check_queue(p, &place, &conf->queues[i], err);
		if (rc == 0)
			rc = queue_spec_of(conf, &conf->queues[i], p->arena, &one, err);
		if (rc == 0)
			to[i] = *one;
	}
	p->core.queues = to;
	p->core.queue_count = conf->queue_count;
	return rc;
}

static int take_user_queue(struct policy *p, const struct conf *conf, struct err *err)
{
	struct key_place place = {.conf = conf};
	Armada__QueueSpec *spec;
	int rc = check_queue(p, &place, &conf->user_queues.template, err);

	if (rc < 0 || !conf->user_queues.enabled)
		return rc;
	rc = queue_spec_of(conf, &conf->user_queues.template, p->arena, &spec, err);
	if (rc == 0)
		p->core.user_queue = spec;
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return names_compare(*(const struct conf_account *const *)a,
			     *(const struct conf_account *const *)b);
}

static int check_account(const struct policy *p, const struct conf *conf,
			 const struct conf_account *a, struct err *err)
{
	struct key_place place = {conf, "accounts", (size_t)(a - conf->accounts), a->name, "users"};
	int rc = policy_check_names(p, &place, false, a->users, a->user_count, err);

	place.what = "groups";
	if (rc == 0)
		rc = policy_check_names(p, &place, true, a->groups, a->group_count, err);
	place.what = "default_for";
	return rc < 0 ? rc
		      : policy_check_names(p, &place, false, a->default_for, a->default_count, err);
}

static void take_account(const struct conf_account *from, struct sched_account *ret_limits,
			 struct core_account *ret_rules)
{
	ret_limits->name = from->name;
	conf_quota_take(&from->quota, &ret_limits->quota);
	conf_quota_take(&from->user_quota, &ret_limits->user_quota);
	*ret_rules = (struct core_account){
		.people = {from->users || from->groups, from->users, from->groups, from->user_count,
			   from->group_count},
		.default_for = from->default_for,
		.default_count = from->default_count,
	};
}

static int take_accounts(struct policy *p, const struct conf *conf, struct err *err)
{
	size_t n = conf->account_count;
	struct sched_account *limits = arena_zalloc(p->arena, n + 1, sizeof(*limits));
	struct core_account *rules = arena_zalloc(p->arena, n + 1, sizeof(*rules));
	const struct conf_account **list = arena_zalloc(p->arena, n + 1, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = &conf->accounts[i];
	qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++) {
		int rc = check_account(p, conf, list[i], err);

		if (rc < 0)
			return rc;
		take_account(list[i], &limits[i], &rules[i]);
	}
	p->core.accounts = limits;
	p->core.account_rules = rules;
	p->core.account_count = n;
	p->core.require_account = conf->require_account;
	return 0;
}

int policy_queues(struct policy *p, const struct conf *conf, struct err *err)
{
	const struct key_place all = {.conf = conf, .what = "permissions"};
	int rc = take_permissions(p, &all, conf->permissions, conf->permission_count,
				  &p->core.permissions, err);

	p->core.permission_count = conf->permission_count;
	if (rc == 0)
		rc = take_queues(p, conf, err);
	if (rc == 0)
		rc = take_user_queue(p, conf, err);
	if (rc == 0)
		rc = take_users(p, conf, err);
	return rc < 0 ? rc : take_accounts(p, conf, err);
}
