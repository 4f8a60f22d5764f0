/*
 * Checks rules between several values of armada.conf, after all values are read. Input: a struct
 * conf. Output: 0, or an error with the file and the keys. The rules of queues are in queue_rules.c,
 * those of one class in classes.c.
 */
#include "conf/permit.h"
#include "conf/private.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static int check_agents(const struct conf *c, struct err *err)
{
	if (c->nodes.node_timeout_us < 2 * c->nodes.heartbeat_us)
		return err_set(err, -EINVAL,
			       "agents: node_timeout must be at least twice heartbeat");
	if (c->nodes.lease_us <= c->nodes.node_timeout_us)
		return err_set(err, -EINVAL, "agents: lease must be longer than node_timeout");
	for (size_t i = 0; i < c->queue_count; i++)
		if (c->queues[i].values[QUEUE_OF_lease].i &&
		    c->queues[i].values[QUEUE_OF_lease].i <= c->nodes.node_timeout_us)
			return err_set(err, -EINVAL,
				       "queues: %s: lease must be longer than agents.node_timeout",
				       c->queues[i].name);
	return 0;
}

static int check_limits(const struct conf *c, struct err *err)
{
	if (c->defaults.grace_us > c->limits.max_grace_us)
		return err_set(err, -EINVAL,
			       "defaults: grace is longer than limits.max_grace_period");
	if (c->defaults.grace_us > 0 && c->defaults.grace_us < 1000000)
		return err_set(err, -EINVAL, "defaults: grace is less than 1s (0 means 1s)");
	if (c->limits.max_time_limit_us && c->defaults.time_limit_us > c->limits.max_time_limit_us)
		return err_set(err, -EINVAL,
			       "defaults: time_limit is longer than limits.max_time_limit");
	return 0;
}

/* A default that no job could have is an error. what: the list that contains the entry `name`. */
static int check_times(int64_t default_us, int64_t max_us, const char *what, const char *name,
		       struct err *err)
{
	if (max_us && default_us > max_us)
		return err_set(err, -EINVAL, "%s: %s: default_time is longer than max_time", what,
			       name);
	return 0;
}

static int check_all_times(const struct conf *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->class_count; i++)
		rc = check_times(c->classes[i].default_time_us, c->classes[i].max_time_us,
				 "priority_classes", c->classes[i].name, err);
	for (size_t i = 0; rc == 0 && i < c->queue_count; i++)
		rc = check_times(c->queues[i].values[QUEUE_OF_default_time].i,
				 c->queues[i].values[QUEUE_OF_max_time].i, "queues",
				 c->queues[i].name, err);
	return rc;
}

static int check_rate(const char *prefix, double rate, int64_t burst, struct err *err)
{
	if (rate > 0 && !burst)
		return err_set(
			err, -EINVAL,
			"scheduler: %srate needs %sburst: the number of tasks that may start "
			"at once",
			prefix, prefix);
	if (burst && !(rate > 0))
		return err_set(
			err, -EINVAL,
			"scheduler: %sburst needs %srate: the number of tasks that may start "
			"in a second",
			prefix, prefix);
	return 0;
}

static int check_rates(const struct conf *c, struct err *err)
{
	int rc = check_rate("", c->scheduler.rate, c->scheduler.burst, err);

	if (rc < 0)
		return rc;
	return check_rate("queue_", c->scheduler.queue_rate, c->scheduler.queue_burst, err);
}

static int check_permissions(const struct conf *c, struct err *err)
{
	int rc = permits_check_texts(c->permissions, c->permission_count, err);

	return rc < 0 ? err_prefix(err, rc, "permissions") : 0;
}

static int check_class(const struct conf *c, struct err *err)
{
	for (size_t i = 0; i < c->class_count; i++)
		if (strcmp(c->classes[i].name, c->scheduler.default_class) == 0)
			return 0;
	return err_set(err, -EINVAL, "scheduler: default_class '%s' is not in priority_classes",
		       c->scheduler.default_class);
}

int conf_check_rules(const struct conf *c, struct err *err)
{
	static int (*const rules[])(const struct conf *c, struct err *err) = {
		check_agents, check_limits,      check_all_times,   check_rates,
		check_class,  check_permissions, conf_check_queues, conf_check_accounts,
	};
	int rc = c->controller_count ? 0
				     : err_set(err, -EINVAL, "controllers: expected at least one");

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(rules); i++)
		rc = rules[i](c, err);
	return rc < 0 ? err_prefix(err, rc, "%s", c->file) : 0;
}
