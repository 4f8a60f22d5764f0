/*
 * The fold of nodes: registration, state, link, lease extension, reboot, deletion, and the record
 * of a node in a snapshot.
 *
 * Input: the events of one node. Output: its struct node. Caveat: NodeStateSet carries the new
 * state; node_next() (state_machine.h) computed it when the event was decided, not here.
 */
#include "core/state/write.h"

#include "core/state/fold_events.h"
#include "core/state/node.h"
#include "util/mem.h"

int fold_node_set(struct fold *f, const Armada__NodeSet *m, struct err *err)
{
	(void)err;
	node_set(f->state, m);
	return 0;
}

static void node_state_set(struct node *n, int state, const char *reason, const char *by,
			   int64_t reason_us)
{
	n->state = state;
	free(n->reason);
	free(n->reason_by);
	n->reason = xstrdup(reason);
	n->reason_by = xstrdup(by);
	n->reason_us = reason_us;
}

int fold_node_state_set(struct fold *f, const Armada__NodeStateSet *m, struct err *err)
{
	struct node *n = node_find(f->state, m->name);

	if (!n)
		return err_set(err, -EINVAL, "state of an unknown node %s", m->name);
	node_state_set(n, m->state, m->reason, m->by, f->clock_us);
	return 0;
}

int fold_node_linked(struct fold *f, const Armada__NodeLinked *m, struct err *err)
{
	struct node *n = node_find(f->state, m->name);

	if (!n)
		return err_set(err, -EINVAL, "link of an unknown node %s", m->name);
	n->linked = m->linked;
	return 0;
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = with ? xstrdup(with) : NULL;
}

int fold_node_deleted(struct fold *f, const Armada__NodeDeleted *m, struct err *err)
{
	struct node *n = node_find(f->state, m->name);

	if (!n || !LIST_EMPTY(&n->tasks))
		return err_set(err, -EINVAL,
			       "node %s is deleted, but does not exist or is in "
			       "use",
			       m->name);
	node_drop(f->state, n);
	return 0;
}

int fold_lease_extended(struct fold *f, const Armada__LeaseExtended *m, struct err *err)
{
	struct node *n = node_find(f->state, m->name);

	if (!n)
		return err_set(err, -EINVAL, "lease of an unknown node %s", m->name);
	n->extension_us = m->duration_us;
	n->extended_at_us = m->at_us;
	replace(&n->extension_reason, m->duration_us ? m->reason : NULL);
	replace(&n->extension_by, m->duration_us ? m->by : NULL);
	return 0;
}

int fold_node_reboot(struct fold *f, const Armada__NodeReboot *m, struct err *err)
{
	struct node *n = node_find(f->state, m->name);

	if (!n)
		return err_set(err, -EINVAL, "reboot of an unknown node %s", m->name);
	n->reboot = m->asked;
	n->resumes = m->resume;
	replace(&n->reboot_reason, m->asked ? m->reason : NULL);
	replace(&n->reboot_by, m->asked ? m->by : NULL);
	replace(&n->reboot_was, m->asked ? m->was : NULL);
	return 0;
}

int fold_snap_node(struct fold *f, const Armada__SnapNode *m, struct err *err)
{
	struct node *n;

	if (!m->node)
		return err_set(err, -EINVAL, "a node without a name");
	n = node_set(f->state, m->node);
	node_state_set(n, m->state, m->reason, m->by, m->reason_us);
	n->linked = m->linked;
	if (m->extension && fold_lease_extended(f, m->extension, err) < 0)
		return -EINVAL;
	return m->reboot ? fold_node_reboot(f, m->reboot, err) : 0;
}
