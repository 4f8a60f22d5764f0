#include "armd/launcher/user_rules.h"

#include <errno.h>
#include <unistd.h>

/*
 * The node's own rules, which no signature overrides. A task of controller_user could make the
 * launcher accept another order key; a task of agent_user could send messages in the name of the
 * node.
 */
bool launcher_user_allowed(const struct launcher *l, const struct order *o, struct err *err)
{
	const struct launcher_config *c = l->config;

	if (geteuid() != 0 && o->uid != geteuid())
		err_set(err, -EACCES,
			"this armd runs as uid %u and cannot run a task of uid %u: start it as "
			"root",
			geteuid(), o->uid);
	else if (o->uid == UINT32_MAX || o->gid == UINT32_MAX)
		err_set(err, -EACCES, "uid %u and gid %u are not valid", o->uid, o->gid);
	else if (o->uid == 0 && !c->allow_root_jobs)
		err_set(err, -EACCES, "node %s runs no tasks of root (security.allow_root_jobs)",
			c->node_name);
	else if (o->uid != 0 && o->uid < c->min_uid)
		err_set(err, -EACCES,
			"node %s runs no tasks of uid %u: security.min_uid is %u there",
			c->node_name, o->uid, c->min_uid);
	else if (geteuid() == 0 && o->uid != 0 &&
		 (o->uid == c->controller_uid || o->uid == c->agent_uid))
		err_set(err, -EACCES,
			"node %s runs no tasks of uid %u, which is that of a daemon of the cluster",
			c->node_name, o->uid);
	else
		return true;
	return false;
}
