/*
 * The shipped priority classes (classes.h), the defaults of a file without priority_classes, and the
 * rules of one class.
 *
 * Input: the set rows of a class of the file, or a conf whose file has no classes. Output: the class,
 * or an error; the classes of the conf. The other values of a shipped class are the defaults of the
 * rows. The system classes have the priorities that Kubernetes gives them.
 */
#include "conf/classes.h"
#include "conf/private.h"
#include "conf/value.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

struct conf_class conf_class_default(void)
{
	const struct conf_list *l = &conf_lists[0];
	struct conf_class class = {.name = NULL};
	struct armada_option_value v;

	for (size_t i = 0; i < l->count; i++)
		if (option_parse(&l->rows[i].opt, l->rows[i].opt.def, &v, NULL) == 0)
			value_store(&l->rows[i], &v, &class);
	class.name = NULL;
	return class;
}

static const char *const nobody[] = {NULL};

const struct conf_class conf_shipped_classes[CONF_SHIPPED_CLASSES] = {
	{.name = "armada-default", .priority = 1000, .urgency_preemptible = true},
	{.name = "armada-preemptible",
	 .priority = 900,
	 .fair_share_preemptible = true,
	 .urgency_preemptible = true},
	{.name = "system-cluster-critical",
	 .priority = 2000000000,
	 .urgency_preemptible = true,
	 .users = nobody},
	{.name = "system-node-critical",
	 .priority = 2000001000,
	 .urgency_preemptible = true,
	 .users = nobody},
};

const struct conf_class conf_old_classes[CONF_OLD_CLASSES] = {
	{.name = "armada-default", .priority = 1000, .urgency_preemptible = true},
	{.name = "armada-preemptible",
	 .priority = 1000,
	 .fair_share_preemptible = true,
	 .urgency_preemptible = true},
};

/* The row of a member of struct conf_class. */
static size_t row_of(size_t offset)
{
	size_t i = 0;

	while (conf_lists[0].rows[i].offset != offset)
		i++;
	return i;
}

#define CLASS_ROW(member) row_of(offsetof(struct conf_class, member))

/* Apply `preemptible` to one of the two flags, or refuse the flag's other value. */
static int settle_flag(bool both, bool *flag, bool *set, const char *name, struct err *err)
{
	if (*set && *flag != both)
		return err_set(err, -EINVAL,
			       "preemptible = %s contradicts %s = %s: preemptible sets it, too; "
			       "leave preemptible out, and set fair_share_preemptible and "
			       "urgency_preemptible",
			       both ? "true" : "false", name, *flag ? "true" : "false");
	*flag = both;
	*set = true;
	return 0;
}

static void restrict_system_class(struct conf_class *class, bool *set)
{
	if (class->users || class->groups)
		return;
	for (size_t i = 0; i < CONF_SHIPPED_CLASSES; i++)
		if (strcmp(class->name, conf_shipped_classes[i].name) == 0) {
			class->users = conf_shipped_classes[i].users;
			set[CLASS_ROW(users)] |= class->users != NULL;
		}
}

int conf_settle_class(void *one, bool *set, struct err *err)
{
	struct conf_class *class = one;
	int rc = 0;

	restrict_system_class(class, set);
	if (!set[CLASS_ROW(preemptible)])
		return 0;
	rc = settle_flag(class->preemptible, &class->fair_share_preemptible,
			 &set[CLASS_ROW(fair_share_preemptible)], "fair_share_preemptible", err);
	if (rc == 0)
		rc = settle_flag(class->preemptible, &class->urgency_preemptible,
				 &set[CLASS_ROW(urgency_preemptible)], "urgency_preemptible", err);
	return rc < 0 ? err_prefix(err, rc, "class '%s'", class->name) : 0;
}

static int use(struct conf *c, const struct conf_class *list, size_t count, struct err *err)
{
	struct conf_priv *p = conf_priv(c);
	const struct conf_list *l = &conf_lists[0];
	struct conf_class *to = arena_zalloc(p->arena, count, sizeof(*to));
	bool *set = arena_zalloc(p->arena, count * l->count, sizeof(*set));

	for (size_t i = 0; i < count; i++) {
		int rc = conf_set_defaults(c, l->rows, l->count, &to[i], err);

		if (rc < 0)
			return rc;
		to[i].name = list[i].name;
		to[i].priority = list[i].priority;
		to[i].fair_share_preemptible = list[i].fair_share_preemptible;
		to[i].urgency_preemptible = list[i].urgency_preemptible;
		restrict_system_class(&to[i], set + i * l->count);
	}
	c->classes = to;
	c->class_count = count;
	p->list_set[0] = set;
	return 0;
}

int conf_default_classes(struct conf *c, struct err *err)
{
	return use(c, conf_shipped_classes, CONF_SHIPPED_CLASSES, err);
}

bool conf_lists_classes(const struct conf *c)
{
	return c->priv && conf_priv(c)->listed[0];
}

int conf_keep_old_classes(struct conf *c, struct err *err)
{
	int rc = conf_lists_classes(c) ? 0 : use(c, conf_old_classes, CONF_OLD_CLASSES, err);

	return rc < 0 || conf_lists_classes(c) ? rc : conf_check_rules(c, err);
}
