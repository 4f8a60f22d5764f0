/*
 * Priority classes of the core's policy (policy_class.h). Input: a configuration. Output: the classes
 * as the scheduler knows them, and beside each what only the core needs: run times, and who may ask
 * for it. The default class comes first: it applies to jobs whose class no longer exists after a
 * restart.
 */
#include "armctld/policy_class.h"
#include "armctld/policy_names.h"
#include "util/mem.h"

#include <string.h>

struct sched_fraction policy_fraction(const struct armada_option_pair *pairs, size_t count)
{
	struct sched_fraction f = {0};

	for (size_t i = 0; i < count; i++)
		for (size_t r = 0; r < resource_count(); r++)
			if (strcmp(pairs[i].name, resource_name(r)) == 0) {
				f.limited |= UINT32_C(1) << r;
				f.of[r] = pairs[i].value;
			}
	return f;
}

/* Round up, because 0 would mean no limit. */
static int64_t seconds(int64_t us)
{
	return (us + 999999) / 1000000;
}

static struct sched_class class_of(const struct conf_class *from)
{
	return (struct sched_class){
		.name = from->name,
		.priority = from->priority,
		.fair_share_preemptible = from->fair_share_preemptible,
		.urgency_preemptible = from->urgency_preemptible,
		.restricted = from->users || from->groups,
		.limit = policy_fraction(from->max_fraction_per_queue, from->max_fraction_count),
	};
}

static struct core_class rules_of(const struct conf_class *from)
{
	return (struct core_class){
		.default_s = seconds(from->default_time_us),
		.max_s = seconds(from->max_time_us),
		.people = {from->users || from->groups, from->users, from->groups, from->user_count,
			   from->group_count},
	};
}

static int check_people(const struct policy *p, const struct conf *conf, size_t i, struct err *err)
{
	const struct conf_class *c = &conf->classes[i];
	const struct key_place users = {conf, "priority_classes", i, c->name, "users"},
			       groups = {conf, "priority_classes", i, c->name, "groups"};
	int rc = policy_check_names(p, &users, false, c->users, c->user_count, err);

	return rc < 0 ? rc : policy_check_names(p, &groups, true, c->groups, c->group_count, err);
}

int policy_classes(struct policy *p, const struct conf *conf, struct err *err)
{
	struct sched_class *classes =
		arena_zalloc(p->arena, conf->class_count + 1, sizeof(*classes));
	struct core_class *rules = arena_zalloc(p->arena, conf->class_count + 1, sizeof(*rules));
	size_t next = 1; /* the configuration has the default class */

	for (size_t i = 0; i < conf->class_count; i++) {
		const struct conf_class *from = &conf->classes[i];
		size_t to = strcmp(from->name, conf->scheduler.default_class) == 0 ? 0 : next++;
		int rc = check_people(p, conf, i, err);

		if (rc < 0)
			return rc;
		classes[to] = class_of(from);
		rules[to] = rules_of(from);
	}
	p->core.classes = classes;
	p->core.class_rules = rules;
	p->core.class_count = conf->class_count;
	p->core.classes_listed = conf_lists_classes(conf);
	return 0;
}
