/* Queues of armada.conf, what users may have at most, and who is named there. */
#include "armctld/policy.h"
#include "conf/permit.h"
#include "conf/quantity.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

/* Where a key stands: "FILE: line 12: queues: short: owners". */
struct place {
	const struct conf *conf;
	const char *list; /* "queues"; NULL: `what` alone */
	size_t index;
	const char *name, *what;
};

static int at(const struct place *p, int rc, struct err *err)
{
	int line = p->list ? conf_line(p->conf, p->list, p->index, p->what) : 0;

	err_prefix(err, rc, "%s", p->what);
	if (p->list)
		err_prefix(err, rc, "%s: %s", p->list, p->name);
	if (line)
		err_prefix(err, rc, "line %d", line);
	return err_prefix(err, rc, "%s", p->conf->file);
}

/* Refused when it is known that there is none: a directory that is away for a while is no matter. */
static int find_name(bool group, const char *name, struct err *err)
{
	uint32_t id;
	int rc = group ? policy_find_group(name, &id, err) : policy_find_user(name, &id, err);

	if (rc != -ENOENT)
		return 0;
	return err_set(err, rc,
		       "there is no %s \"%.64s\" on this machine: expected a name that "
		       "getent %s shows",
		       group ? "group" : "user", name, group ? "group" : "passwd");
}

/* At a start who has left the site is warned of: what they are given is nobody's. */
static int check_name(const struct policy *p, const struct place *place, bool group,
		      const char *name, struct err *err)
{
	int rc = find_name(group, name, err);

	if (rc < 0)
		at(place, rc, err);
	if (rc < 0 && p->starting) {
		log_warn("%s", err->text);
		return 0;
	}
	return rc;
}

static int check_names(const struct policy *p, const struct place *place, bool group,
		       const char *const *names, size_t count, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = check_name(p, place, group, names[i], err);
	return rc;
}

static int take_permissions(struct policy *p, const struct place *place, const char *const *texts,
			    size_t count, const struct permit **ret_list, struct err *err)
{
	struct permit *list = arena_zalloc(p->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		int rc = permit_parse(texts[i], &list[i], err);

		if (rc < 0)
			return at(place, rc, err);
		if (list[i].kind != PERMIT_ALL)
			rc = check_name(p, place, list[i].kind == PERMIT_GROUP, list[i].name, err);
		if (rc < 0)
			return rc;
	}
	*ret_list = list;
	return 0;
}

static int queue_permissions(struct policy *p, const struct place *place,
			     const struct conf_queue *from, struct core_queue *to, struct err *err)
{
	to->permission_count = from->permission_count;
	return take_permissions(p, place, from->permissions, from->permission_count,
				&to->permissions, err);
}

/* Texts that the configuration has checked. */
static void take_lists(struct policy *p, const struct conf_queue *from, struct core_queue *to)
{
	struct core_class_limit *limits =
		arena_zalloc(p->arena, from->class_limit_count + 1, sizeof(*limits));

	for (size_t i = 0; i < from->class_limit_count; i++) {
		struct share s;

		if (share_parse(from->class_limits[i], &s, NULL) < 0)
			continue;
		limits[i].class_name = arena_strdup(p->arena, s.class_name);
		limits[i].limit.limited = s.limited;
		memcpy(limits[i].limit.of, s.of, sizeof(s.of));
		to->class_limit_count = i + 1;
	}
	to->class_limits = limits;
	for (size_t i = 0; i < from->default_resource_count; i++) {
		struct amount a;

		if (amount_parse(from->default_resources[i], &a, NULL) < 0)
			continue;
		to->has_default |= UINT32_C(1) << a.resource;
		to->default_amount[a.resource] = a.amount;
	}
}

static void take_values(const struct conf_queue *from, struct core_queue *to)
{
	*to = (struct core_queue){
		.name = from->name,
		.factor = from->priority_factor,
		.owners = from->owners,
		.owner_count = from->owner_count,
		.group_owners = from->group_owners,
		.group_owner_count = from->group_owner_count,
		.labels = from->labels,
		.label_count = from->label_count,
		.cordoned = from->cordoned,
		.says_cordoned = from->says_cordoned,
		.limit = policy_fraction(from->limits, from->limit_count),
		.default_time_s = policy_seconds(from->default_time_us),
		.max_time_s = policy_seconds(from->max_time_us),
		.lease_s = from->lease_us / 1000000,
		.default_class = from->default_class,
	};
	conf_most_take(&from->most, &to->most);
}

static int take_queue(struct policy *p, const struct conf *conf, size_t i, struct core_queue *to,
		      struct err *err)
{
	const struct conf_queue *from = &conf->queues[i];
	struct place place = {conf, "queues", i, from->name, "owners"};
	int rc = check_names(p, &place, false, from->owners, from->owner_count, err);

	if (rc < 0)
		return rc;
	place.what = "group_owners";
	rc = check_names(p, &place, true, from->group_owners, from->group_owner_count, err);
	if (rc < 0)
		return rc;
	take_values(from, to);
	conf_most_take(&from->user_most, &to->user_most);
	take_lists(p, from, to);
	place.what = "permissions";
	return queue_permissions(p, &place, from, to, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sched_user *)a)->name, ((const struct sched_user *)b)->name);
}

static int take_users(struct policy *p, const struct conf *conf, struct err *err)
{
	struct sched_user *to = arena_zalloc(p->arena, conf->user_count + 1, sizeof(*to));

	for (size_t i = 0; i < conf->user_count; i++) {
		const struct place place = {conf, "users", i, conf->users[i].name, "name"};
		int rc = check_names(p, &place, false, &conf->users[i].name, 1, err);

		if (rc < 0)
			return rc;
		to[i].name = conf->users[i].name;
		conf_most_take(&conf->users[i].most, &to[i].most);
	}
	qsort(to, conf->user_count, sizeof(*to), by_name);
	p->core.users = to;
	p->core.user_count = conf->user_count;
	conf_most_take(&conf->user_limits, &p->core.user_most);
	return 0;
}

int policy_queues(struct policy *p, const struct conf *conf, struct err *err)
{
	struct core_queue *to = arena_zalloc(p->arena, conf->queue_count + 1, sizeof(*to));
	const struct place like = {.conf = conf, .what = "user_queues: permissions"};
	const struct place all = {.conf = conf, .what = "permissions"};
	int rc = take_permissions(p, &all, conf->permissions, conf->permission_count,
				  &p->core.permissions, err);

	if (rc < 0)
		return rc;
	p->core.permission_count = conf->permission_count;
	for (size_t i = 0; i < conf->queue_count; i++) {
		rc = take_queue(p, conf, i, &to[i], err);
		if (rc < 0)
			return rc;
	}
	p->core.queues = to;
	p->core.queue_count = conf->queue_count;
	p->core.user_queues = conf->user_queues.enabled;
	take_values(&conf->user_queues.like, &p->core.user_queue);
	take_lists(p, &conf->user_queues.like, &p->core.user_queue);
	rc = queue_permissions(p, &like, &conf->user_queues.like, &p->core.user_queue, err);
	return rc < 0 ? rc : take_users(p, conf, err);
}
