/* LIST_NODES and UPDATE_NODE. */
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

static Armada__Resource **resource_list(struct core *c, const struct resources *from,
					size_t *ret_count)
{
	Armada__Resource **list = arena_alloc(c->arena, c->resource_count * sizeof(*list));

	for (size_t r = 0; r < c->resource_count; r++) {
		list[r] = arena_alloc(c->arena, sizeof(**list));
		armada__resource__init(list[r]);
		list[r]->name = c->resource_names[r];
		list[r]->amount = from->amount[r];
	}
	*ret_count = c->resource_count;
	return list;
}

static Armada__NodeState shown_state(const struct node *n, uint32_t tasks)
{
	if (n->state == ARMADA__NODE_STATE__NODE_DRAINED && tasks)
		return ARMADA__NODE_STATE__NODE_DRAINING;
	return n->state;
}

static void add_node(struct core *c, const struct node *n, Armada__ListNodesReply *r)
{
	Armada__NodeRow *row = arena_alloc(c->arena, sizeof(*row));
	struct resources used;
	const struct task *t;

	armada__node_row__init(row);
	node_used(n, &used);
	LIST_FOREACH (t, &n->tasks, on_node)
		row->tasks += t->state != TASK_ENDED && !t->element->promised;
	row->name = n->name;
	row->state = shown_state(n, row->tasks);
	row->total = resource_list(c, &n->total, &row->n_total);
	row->allocated = resource_list(c, &used, &row->n_allocated);
	row->labels = n->set->labels;
	row->n_labels = n->set->n_labels;
	row->taints = n->set->taints;
	row->n_taints = n->set->n_taints;
	row->reason = n->reason ? n->reason : (char *)"";
	row->reason_by = n->reason_by ? n->reason_by : (char *)"";
	row->reason_us = n->reason_us;
	row->last_seen_us = n->seen_us;
	row->boot_us = n->set->boot_us;
	row->release = n->set->release;
	row->address = n->set->address;
	row->lease_left_s = (c->policy->lease_us - (c->in->steady_us - n->heard_us)) / 1000000;
	row->node_id.data = (uint8_t *)n->node_id;
	row->node_id.len = sizeof(n->node_id);
	r->nodes[r->n_nodes++] = row;
}

void req_list_nodes(struct core *c, const void *message)
{
	const Armada__ListNodesRequest *m = message;
	Armada__ListNodesReply r = ARMADA__LIST_NODES_REPLY__INIT;
	size_t most = m->n_names ? m->n_names : HASH_COUNT(c->nodes);

	r.nodes = arena_alloc(c->arena, most * sizeof(*r.nodes));
	r.missing = arena_alloc(c->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		for (const struct node *n = c->nodes; n; n = n->hh.next)
			add_node(c, n, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n = core_find_node(c, m->names[i]);

		if (n)
			add_node(c, n, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	reply(c, MSG_LIST_NODES_REPLY, &r);
}

static void drain(struct core *c, struct node *n, const char *reason, const char *by)
{
	node_set_state(c, n, ARMADA__NODE_STATE__NODE_DRAINED, reason, by);
}

static void resume(struct core *c, struct node *n, const char *by)
{
	if (n->state == ARMADA__NODE_STATE__NODE_DRAINED)
		node_set_state(c, n, ARMADA__NODE_STATE__NODE_UP, "", by);
	n->silent = false; /* the next tick looks for itself */
}

void req_update_node(struct core *c, const void *message)
{
	const Armada__UpdateNodeRequest *m = message;
	const char *by = c->in->caller->user ? c->in->caller->user : "an administrator";
	bool draining = m->action == ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN;

	if (!m->n_names) {
		refuse(c, 2, "no node named");
		return;
	}
	for (size_t i = 0; i < m->n_names; i++)
		if (!core_find_node(c, m->names[i])) {
			refuse(c, 3, "node '%s' is not known; nothing was changed", m->names[i]);
			return;
		}
	if (strlen(m->reason) > REASON_LONGEST) {
		refuse(c, 1, "reason: longer than %d bytes", REASON_LONGEST);
		return;
	}
	if (draining && !m->reason[0]) {
		refuse(c, 2, "a node is drained with a reason, for whoever finds it so");
		return;
	}
	if (!draining && m->action != ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_RESUME) {
		refuse(c, 1, "this release does not know this change of a node");
		return;
	}
	for (size_t i = 0; i < m->n_names; i++) {
		if (draining)
			drain(c, core_find_node(c, m->names[i]), m->reason, by);
		else
			resume(c, core_find_node(c, m->names[i]), by);
	}
	reply_ok(c, "%zu node%s %s", m->n_names, m->n_names == 1 ? "" : "s",
		 draining ? "drained: running tasks go on, none are started" : "resumed");
}
