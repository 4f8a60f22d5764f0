/* Nodes: how their events change the state. */
#include "core/fold_parts.h"
#include "util/mem.h"

#include <string.h>

int fold_node_set(struct core *c, const Armada__NodeSet *m, struct err *err)
{
	(void)err;
	node_set(c, m);
	return 0;
}

static void node_state_set(struct core *c, struct node *n, int state, const char *reason,
			   const char *by, int64_t reason_us)
{
	(void)c;
	n->state = state;
	free(n->reason);
	free(n->reason_by);
	n->reason = xstrdup(reason);
	n->reason_by = xstrdup(by);
	n->reason_us = reason_us;
}

int fold_node_state_set(struct core *c, const Armada__NodeStateSet *m, struct err *err)
{
	struct node *n = core_find_node(c, m->name);

	if (!n)
		return err_set(err, -EINVAL, "state of an unknown node %s", m->name);
	node_state_set(c, n, m->state, m->reason, m->by, c->now_us);
	return 0;
}

int fold_node_linked(struct core *c, const Armada__NodeLinked *m, struct err *err)
{
	struct node *n = core_find_node(c, m->name);

	if (!n)
		return err_set(err, -EINVAL, "link of an unknown node %s", m->name);
	n->linked = m->linked;
	return 0;
}

int fold_snap_node(struct core *c, const Armada__SnapNode *m, struct err *err)
{
	struct node *n;

	if (!m->node)
		return err_set(err, -EINVAL, "a node without a name");
	n = node_set(c, m->node);
	node_state_set(c, n, m->state, m->reason, m->by, m->reason_us);
	n->linked = m->linked;
	return 0;
}
