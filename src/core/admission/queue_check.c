/*
 * Checks of queue specifications (queue_check.h).
 *
 * Input: a specification from a request. Output: 0, or an error with a sentence. A table has one
 * check for each field; several limits of one kind share a check, and only one of them has a row.
 */
#include "core/admission/queue_check.h"

#include "conf/permit_message.h"
#include "conf/queue_spec.h"
#include "conf/selectors.h"
#include "conf/syntax_checks.h"
#include "core/admission/feasibility.h"
#include "core/admission/time_limit.h"
#include "core/state/fraction.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The search for duplicates compares all entries with each other, so lists must be short. */
enum { NAME_LONGEST = 64, VALUE_LONGEST = 253, LIST_LONGEST = 1000 };

static int check_name_of(const char *name, struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t len = strlen(name);

	if (len && len <= NAME_LONGEST && name[0] != '-' && strspn(name, letters) == len)
		return 0;
	return err_set(err, -EINVAL, "a queue's name has 1 to %d letters, digits, '.', '_' or '-'",
		       NAME_LONGEST);
}

/* 0: not given. The bounds are those of armada.conf; within them every weight is finite. */
static int check_factor(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	double factor = m->priority_factor;

	(void)txn;
	if (factor == 0 || (factor >= 1e-6 && factor <= 1e6))
		return 0;
	return err_set(err, -EINVAL,
		       "%g is not a priority factor: expected 0.000001 to 1000000 (the lower, the "
		       "larger the share)",
		       factor);
}

static int check_fractions(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	(void)txn;
	return fraction_check(resource_names(), resource_count(), m->limits, m->n_limits, err);
}

static int check_class_name(const struct txn *txn, const char *name, struct err *err)
{
	const struct core_policy *p = txn->policy;
	CLEANUP_FREE const char **names = xcalloc(p->class_count, sizeof(*names));
	char known[200] = "";
	const char *near;
	size_t len = 0;

	for (size_t i = 0; i < p->class_count; i++) {
		if (strcmp(p->classes[i].name, name) == 0)
			return 0;
		names[i] = p->classes[i].name;
		if (len < sizeof(known))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
						i ? ", " : "", names[i]);
	}
	near = nearest_word(name, names, p->class_count);
	if (near)
		return err_set(err, -EINVAL,
			       "priority class '%.64s' does not exist; did you mean '%s'?", name,
			       near);
	return err_set(err, -EINVAL, "priority class '%.64s' does not exist: expected one of %s",
		       name, known);
}

static int check_class_limits(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	for (size_t i = 0; i < m->n_class_limits; i++) {
		const Armada__ClassLimit *l = m->class_limits[i];
		int rc = check_class_name(txn, l->priority_class, err);

		if (rc == 0)
			rc = fraction_check(resource_names(), resource_count(), l->limits,
					    l->n_limits, err);
		if (rc == 0 && !l->n_limits)
			rc = err_set(err, -EINVAL, "no limit is given for it");
		for (size_t k = 0; rc == 0 && k < i; k++)
			if (strcmp(m->class_limits[k]->priority_class, l->priority_class) == 0)
				rc = err_set(err, -EINVAL, "the class is given twice");
		if (rc < 0)
			return err_prefix(err, rc, "class %.64s", l->priority_class);
	}
	return 0;
}

static int check_default_class(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	int rc = m->default_class[0] ? check_class_name(txn, m->default_class, err) : 0;

	return rc < 0 ? err_prefix(err, rc, "default class") : 0;
}

static int check_limits(Armada__Limit *const *list, size_t n, struct err *err)
{
	struct quota all;

	for (size_t i = 0; i < n; i++) {
		const struct quota_row *row = quota_of_kind((int)list[i]->kind);
		int rc;

		if (!row)
			return err_set(err, -EINVAL, "limit %d is not known to this controller",
				       (int)list[i]->kind);
		rc = quota_check(row, list[i]->value, err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", row->name);
		for (size_t k = 0; k < i; k++)
			if (list[k]->kind == list[i]->kind)
				return err_set(err, -EINVAL, "%s is given twice", row->name);
	}
	queue_quota_take(list, n, &all);
	if (quota_has(&all, QUOTA_SUBMIT_BURST) && !quota_has(&all, QUOTA_SUBMIT_RATE))
		return err_set(err, -EINVAL, "submit_burst needs submit_rate, such as 100/h");
	return 0;
}

static int check_quota(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	(void)txn;
	return check_limits(m->quota, m->n_quota, err);
}

static int check_user_quota(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	int rc = check_limits(m->user_quota, m->n_user_quota, err);

	(void)txn;
	return rc < 0 ? err_prefix(err, rc, "for each user") : 0;
}

static int check_amounts(Armada__Resource *const *list, size_t n, const char *what, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		const Armada__Resource *r = list[i];
		int rc = check_resource(r->name, err);

		if (rc == 0 && (r->amount < resource_is_basic((size_t)resource_index(r->name)) ||
				r->amount > INT64_C(1) << 53))
			rc = err_set(err, -EINVAL, "%" PRId64 " is not an amount that a task has",
				     r->amount);
		for (size_t k = 0; rc == 0 && k < i; k++)
			if (strcmp(list[k]->name, r->name) == 0)
				rc = err_set(err, -EINVAL, "%s is given twice", r->name);
		if (rc < 0)
			return err_prefix(err, rc, "%s", what);
	}
	return 0;
}

static int check_default_resources(const struct txn *txn, const Armada__QueueSpec *m,
				   struct err *err)
{
	(void)txn;
	return check_amounts(m->default_resources, m->n_default_resources, "default resources",
			     err);
}

static int check_max_resources(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	int rc = check_amounts(m->max_resources, m->n_max_resources, "max_resources", err);

	(void)txn;
	return rc < 0 ? rc
		      : check_amounts(m->user_max_resources, m->n_user_max_resources,
				      "user_max_resources", err);
}

static int check_length(size_t n, const char *what, struct err *err)
{
	return n <= LIST_LONGEST
		       ? 0
		       : err_set(err, -E2BIG, "%zu %s: expected at most %d", n, what, LIST_LONGEST);
}

static int check_labels(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	(void)txn;
	if (check_length(m->n_labels, "labels", err) < 0)
		return -E2BIG;
	for (size_t i = 0; i < m->n_labels; i++) {
		const Armada__Label *l = m->labels[i];

		if (check_name(l->key, NULL) < 0 || strlen(l->value) > VALUE_LONGEST ||
		    check_printable(l->value, NULL) < 0)
			return err_set(err, -EINVAL,
				       "'%.64s=%.64s' is not a label: expected \"key=value\"",
				       l->key, l->value);
		for (size_t k = 0; k < i; k++)
			if (strcmp(m->labels[k]->key, l->key) == 0)
				return err_set(err, -EINVAL, "label %s is given twice", l->key);
	}
	return 0;
}

static int check_permissions(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	CLEANUP_FREE struct permit *list = NULL;
	int rc;

	(void)txn;
	if (check_length(m->n_permissions, "permissions", err) < 0)
		return -E2BIG;
	rc = permits_of_messages(m->permissions, m->n_permissions, &list, err);
	return rc < 0 ? err_prefix(err, rc, "permissions") : 0;
}

static int check_people(char *const *names, size_t n, const char *what, struct err *err)
{
	if (check_length(n, what, err) < 0)
		return -E2BIG;
	for (size_t i = 0; i < n; i++) {
		int rc = check_user(names[i], err);

		if (rc < 0)
			return err_prefix(err, rc, "%s", what);
	}
	return 0;
}

static int check_owners(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	(void)txn;
	return check_people(m->owners, m->n_owners, "owners", err);
}

static int check_group_owners(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	(void)txn;
	return check_people(m->group_owners, m->n_group_owners, "group owners", err);
}

/* The same bounds as for a job's own lease (job.c). */
static int check_lease(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	int64_t least_s = txn->policy->node_timeout_us / 1000000;

	if (m->lease_s == 0 || (m->lease_s > least_s && m->lease_s <= LEASE_MAX_S))
		return 0;
	return err_set(err, -EINVAL,
		       "lease: must be longer than the %s after which a node is silent "
		       "(agents.node_timeout), and at most %s",
		       duration_words(least_s * 1000000).text,
		       duration_words(LEASE_MAX_S * INT64_C(1000000)).text);
}

int queue_check_times(const Armada__QueueSpec *m, struct err *err)
{
	return time_limit_check_queue(m->default_time_s, m->max_time_s, err);
}

static int check_times(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	(void)txn;
	return queue_check_times(m, err);
}

/* The nearest label of a node, "key=value", or key alone. */
static char *nearest_label(const struct txn *txn, const struct selector_words *s, struct arena *a)
{
	const char **names = NULL, *near;
	size_t count = 0;
	const char *text = arena_printf(a, "%s%s%s", s->key, *s->value ? "=" : "", s->value);
	char *found;

	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		names = xreallocarray(names, count + n->set->n_labels + 1, sizeof(*names));
		for (size_t i = 0; i < n->set->n_labels; i++)
			names[count++] = *s->value
						 ? arena_printf(a, "%s=%s", n->set->labels[i]->key,
								n->set->labels[i]->value)
						 : n->set->labels[i]->key;
	}
	near = nearest_word(text, names, count);
	found = near ? arena_strdup(a, near) : NULL;
	free(names);
	return found;
}

static bool has_label(const struct txn *txn, const struct selector_words *s)
{
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		const char *value = node_label(n, s->key);

		if (value && (!*s->value || strcmp(value, s->value) == 0))
			return true;
	}
	return false;
}

/* A label that no node has is a mistake, unless no node has registered yet. */
static int check_constraint(const struct txn *txn, const Armada__QueueSpec *m, struct err *err)
{
	struct selector_words *list;
	size_t count;

	if (!m->constraint[0])
		return 0;
	if (selectors_parse(m->constraint, txn->arena, &list, &count, err) < 0)
		return err_prefix(err, -EINVAL, "constraint");
	for (size_t i = 0; i < count && txn->state->nodes; i++) {
		const char *near;

		if (has_label(txn, &list[i]))
			continue;
		near = nearest_label(txn, &list[i], txn->arena);
		return err_set(err, -EINVAL, "constraint: no node has the label '%s%s%s'%s%s%s",
			       list[i].key, *list[i].value ? "=" : "", list[i].value,
			       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	return 0;
}

typedef int check_fn(const struct txn *txn, const Armada__QueueSpec *m, struct err *err);

/* Fields that share one list of limits need one row only. */
static check_fn *const checks[QUEUE_FIELDS] = {
	[QUEUE_OF_priority_factor] = check_factor,
	[QUEUE_OF_owners] = check_owners,
	[QUEUE_OF_group_owners] = check_group_owners,
	[QUEUE_OF_permissions] = check_permissions,
	[QUEUE_OF_limits] = check_fractions,
	[QUEUE_OF_class_limits] = check_class_limits,
	[QUEUE_OF_max_running] = check_quota,
	[QUEUE_OF_user_max_running] = check_user_quota,
	[QUEUE_OF_default_class] = check_default_class,
	[QUEUE_OF_default_resources] = check_default_resources,
	[QUEUE_OF_max_resources] = check_max_resources,
	[QUEUE_OF_user_max_resources] = check_max_resources,
	[QUEUE_OF_default_time] = check_times,
	[QUEUE_OF_max_time] = check_times,
	[QUEUE_OF_lease] = check_lease,
	[QUEUE_OF_labels] = check_labels,
	[QUEUE_OF_constraint] = check_constraint,
};

int queue_check(const struct txn *txn, const Armada__QueueSpec *m, bool whole, struct err *err)
{
	int rc = check_name_of(m->name, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		if (!checks[i] || !(whole || queue_field_given(&queue_fields[i], m)))
			continue;
		rc = checks[i](txn, m, err);
		if (rc < 0)
			return err_prefix(err, rc, "queue '%s'", m->name);
	}
	return 0;
}

void queue_want_names(struct txn *txn, const Armada__QueueSpec *m, bool whole, struct names *n)
{
	for (size_t i = 0; (whole || m->set_owners) && i < m->n_owners; i++)
		name_lookup_want(txn, n, false, m->owners[i]);
	for (size_t i = 0; (whole || m->set_group_owners) && i < m->n_group_owners; i++)
		name_lookup_want(txn, n, true, m->group_owners[i]);
	for (size_t i = 0; (whole || m->set_permissions) && i < m->n_permissions; i++) {
		const Armada__Permission *p = m->permissions[i];

		if (p->kind != ARMADA__SUBJECT_KIND__SUBJECT_ALL)
			name_lookup_want(txn, n, p->kind == ARMADA__SUBJECT_KIND__SUBJECT_GROUP,
					 p->name);
	}
}
