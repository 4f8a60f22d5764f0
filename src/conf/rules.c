#include "conf/private.h"

#include <errno.h>
#include <string.h>

/* Rules that no single row can say. */
static int check_agents(const struct conf *c, struct err *err)
{
	if (c->nodes.node_timeout_us < 2 * c->nodes.heartbeat_us)
		return err_set(err, -EINVAL,
			       "agents: node_timeout must be at least twice heartbeat");
	if (c->nodes.lease_us <= c->nodes.node_timeout_us)
		return err_set(err, -EINVAL, "agents: lease must be longer than node_timeout");
	return 0;
}

static int check_limits(const struct conf *c, struct err *err)
{
	if (c->defaults.grace_us > c->limits.max_grace_us)
		return err_set(err, -EINVAL, "defaults: grace is longer than limits.max_grace");
	if (c->limits.max_time_limit_us && c->defaults.time_limit_us > c->limits.max_time_limit_us)
		return err_set(err, -EINVAL,
			       "defaults: time_limit is longer than limits.max_time_limit");
	return 0;
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
	int rc = c->controller_count ? 0
				     : err_set(err, -EINVAL, "controllers: expected at least one");

	if (!rc)
		rc = check_agents(c, err);
	if (!rc)
		rc = check_limits(c, err);
	if (!rc)
		rc = check_class(c, err);
	return rc < 0 ? err_prefix(err, rc, "%s", c->file) : 0;
}
