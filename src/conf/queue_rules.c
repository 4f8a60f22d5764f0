/*
 * Rules between several rows of a queue, and of limits.
 *
 * In: a loaded configuration. Out: 0, or an error with the line of the row. default_class must exist, a
 * burst needs a rate, labels must differ, and default_time must not exceed max_time.
 */
#include "conf/permit.h"
#include "conf/private.h"
#include "conf/quantity.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int check_class_name(const struct conf *c, const char *name, struct err *err)
{
	CLEANUP_FREE const char **names = xcalloc(c->class_count + 1, sizeof(*names));
	CLEANUP_BUF struct buf known = {0};
	const char *near;

	for (size_t i = 0; i < c->class_count; i++) {
		names[i] = c->classes[i].name;
		if (strcmp(names[i], name) == 0)
			return 0;
	}
	near = nearest_word(name, names, c->class_count);
	if (near)
		return err_set(err, -EINVAL,
			       "'%.64s' is not in priority_classes; did you mean '%s'?", name,
			       near);
	for (size_t i = 0; i < c->class_count && known.len < 200; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", names[i]);
	return err_set(err, -EINVAL, "'%.64s' is not in priority_classes: expected one of %s", name,
		       (char *)known.data);
}

static int check_classes(const struct conf *c, const struct conf_queue *q, struct err *err)
{
	const struct armada_option_value *limits = &q->values[QUEUE_OF_class_limits];
	const char *class_name = q->values[QUEUE_OF_default_class].s;
	int rc = class_name[0] ? check_class_name(c, class_name, err) : 0;

	if (rc < 0)
		return err_prefix(err, rc, "default_class");
	for (size_t i = 0; i < limits->count; i++) {
		struct share s;

		rc = share_parse(limits->list[i], &s, err);
		if (rc == 0)
			rc = check_class_name(c, s.class_name, err);
		if (rc < 0)
			return err_prefix(err, rc, "class_limits");
	}
	return 0;
}

int conf_check_burst(const struct armada_option_value *burst,
		     const struct armada_option_value *rate, const char *prefix, struct err *err)
{
	if (burst->i < 0 || *rate->s)
		return 0;
	return err_set(err, -EINVAL,
		       "%ssubmit_burst needs %ssubmit_rate: the number of jobs that may be "
		       "submitted in a time, such as \"100/h\"",
		       prefix, prefix);
}

static int check_labels(const struct conf_queue *q, struct err *err)
{
	const struct armada_option_value *labels = &q->values[QUEUE_OF_labels];

	for (size_t i = 0; i < labels->count; i++) {
		size_t len = strcspn(labels->list[i], "=");

		for (size_t k = 0; k < i; k++)
			if (strncmp(labels->list[k], labels->list[i], len + 1) == 0)
				return err_set(err, -EINVAL, "labels: %.*s is given twice",
					       (int)len, labels->list[i]);
	}
	return 0;
}

static int check_lists(const struct conf_queue *q, struct err *err)
{
	const struct armada_option_value *permits = &q->values[QUEUE_OF_permissions];
	static const struct {
		enum queue_index field;
		const char *name;
	} amounts[] = {
		{QUEUE_OF_default_resources, "default_resources"},
		{QUEUE_OF_max_resources, "max_resources"},
		{QUEUE_OF_user_max_resources, "user_max_resources"},
	};
	const struct armada_option_value *shares = &q->values[QUEUE_OF_class_limits];
	int rc = permits_check_texts(permits->list, permits->count, err);

	if (rc < 0)
		return err_prefix(err, rc, "permissions");
	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++) {
		const struct armada_option_value *v = &q->values[amounts[i].field];

		rc = amounts_check(v->list, v->count, err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", amounts[i].name);
	}
	rc = shares_check(shares->list, shares->count, err);
	if (rc < 0)
		return err_prefix(err, rc, "class_limits");
	return check_labels(q, err);
}

/* Adds the line. The text of an error begins with the name of its row. */
static int at_queue(const struct conf *c, size_t i, int rc, struct err *err)
{
	CLEANUP_FREE char *row = NULL;
	int line;

	if (!err)
		return rc;
	row = xasprintf("%.*s", (int)strcspn(err->text, ": "), err->text);
	line = conf_line(c, "queues", i, row);
	if (!line)
		line = conf_line(c, "queues", i, "name");
	return line ? err_prefix(err, rc, "line %d: queues: %s", line, c->queues[i].name)
		    : err_prefix(err, rc, "queues: %s", c->queues[i].name);
}

static int check_queue(const struct conf *c, const struct conf_queue *q, struct err *err)
{
	int rc = check_classes(c, q, err);

	if (rc == 0)
		rc = check_lists(q, err);
	if (rc == 0)
		rc = conf_check_burst(&q->values[QUEUE_OF_submit_burst],
				      &q->values[QUEUE_OF_submit_rate], "", err);
	return rc;
}

/* The rules within one queue; it may be an update. */
int conf_check_each_queue(const struct conf *c, struct err *err)
{
	for (size_t i = 0; i < c->queue_count; i++) {
		int rc = check_lists(&c->queues[i], err);

		if (rc < 0)
			return err_prefix(err, at_queue(c, i, rc, err), "%s", c->file);
	}
	return 0;
}

static int check_like(const struct conf *c, struct err *err)
{
	const struct conf_queue *q = &c->user_queues.template;
	int64_t max_us = q->values[QUEUE_OF_max_time].i, lease_us = q->values[QUEUE_OF_lease].i;
	int rc = check_queue(c, q, err);

	if (rc == 0 && max_us && q->values[QUEUE_OF_default_time].i > max_us)
		rc = err_set(err, -EINVAL, "default_time is longer than max_time");
	if (rc == 0 && lease_us && lease_us <= c->nodes.node_timeout_us)
		rc = err_set(err, -EINVAL, "lease must be longer than agents.node_timeout");
	return rc < 0 ? err_prefix(err, rc, "user_queues") : 0;
}

int conf_check_queues(const struct conf *c, struct err *err)
{
	const struct armada_option_value *all = c->user_limits.of;
	int rc = check_like(c, err);

	for (size_t i = 0; rc == 0 && i < c->queue_count; i++) {
		const struct armada_option_value *values = c->queues[i].values;

		rc = check_queue(c, &c->queues[i], err);
		if (rc == 0)
			rc = conf_check_burst(&values[QUEUE_OF_user_submit_burst],
					      &values[QUEUE_OF_user_submit_rate], "user_", err);
		if (rc < 0)
			return at_queue(c, i, rc, err);
	}
	if (rc < 0)
		return rc;
	rc = conf_check_burst(&all[QUOTA_SUBMIT_BURST], &all[QUOTA_SUBMIT_RATE], "", err);
	if (rc < 0)
		return err_prefix(err, rc, "user_limits");
	for (size_t i = 0; i < c->user_count && !*all[QUOTA_SUBMIT_RATE].s; i++) {
		const struct armada_option_value *of = c->users[i].quota.of;

		rc = conf_check_burst(&of[QUOTA_SUBMIT_BURST], &of[QUOTA_SUBMIT_RATE], "", err);
		if (rc < 0)
			return err_prefix(err, rc, "users: %s", c->users[i].name);
	}
	return 0;
}
