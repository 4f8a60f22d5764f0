/*
 * LIST_NODES: all nodes, or those that are named, also nodes of armada.conf that have never registered.
 */
#include "conf/node_table.h"
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/view/lease_time.h"
#include "core/view/state_reason.h"
#include "core/view/visibility.h"
#include "util/mem.h"

#include <string.h>

/* Adds the resources that the node has but the controller does not count. */
static void add_uncounted(struct txn *txn, const struct node *n, Armada__NodeRow *row)
{
	Armada__Resource **list =
		arena_alloc(txn->arena, (row->n_total + n->set->n_resources) * sizeof(*list));

	memcpy(list, row->total, row->n_total * sizeof(*list));
	for (size_t i = 0; i < n->set->n_resources; i++)
		if (resource_index(n->set->resources[i]->name) < 0)
			list[row->n_total++] = n->set->resources[i];
	row->total = list;
}

static Armada__NodeState shown_state(const struct node *n, uint32_t tasks)
{
	if (n->state == ARMADA__NODE_STATE__NODE_DRAINED && tasks)
		return ARMADA__NODE_STATE__NODE_DRAINING;
	return n->state;
}

/* The state of an up node has an author and a time, too; they are shown with a reason only. */
static void add_reason(struct txn *txn, const struct node *n, Armada__NodeRow *row)
{
	struct node_live *live = live_node(txn->live, n);
	char *unlinked = state_reason_of_node(txn, n, txn->arena);

	if (n->reason && n->reason[0]) {
		row->reason = visibility_text(txn, n->reason);
		row->reason_by = n->reason_by ? n->reason_by : (char *)"";
		row->reason_us = n->reason_us;
	} else if (unlinked) {
		row->reason = unlinked;
		row->reason_by = (char *)"armctld";
		row->reason_us = live->registered ? live->seen_us : txn->live->started_us;
	}
}

#define DECLARED(name)                row->name = n->set->name;
#define DETECTED(name)                DECLARED(name)
#define SHOW(member, registered, ...) registered

enum { MEMORY = 1 }; /* its place in struct resources */

static void add_node(struct txn *txn, const struct node *n, Armada__ListNodesReply *r)
{
	struct node_live *live = live_node(txn->live, n);
	Armada__NodeRow *row = arena_alloc(txn->arena, sizeof(*row));
	struct resources used;
	const struct task *t;

	armada__node_row__init(row);
	node_used(n, &used);
	LIST_FOREACH (t, &n->tasks, on_node) {
		bool counts = t->state != TASK_ENDED && !t->element->lease_pending;

		row->tasks += counts;
		if (counts && t->element->job->spec->whole_memory)
			used.amount[MEMORY] = n->total.amount[MEMORY];
	}
	row->name = n->name;
	row->state = shown_state(n, row->tasks);
	row->total = resources_message(n->total.amount, txn->arena, &row->n_total);
	add_uncounted(txn, n, row);
	row->allocated = resources_message(used.amount, txn->arena, &row->n_allocated);
	row->labels = n->set->labels;
	row->n_labels = n->set->n_labels;
	row->taints = n->set->taints;
	row->n_taints = n->set->n_taints;
	add_reason(txn, n, row);
	row->last_seen_us = live->seen_us;
	NODE_TABLE(SHOW)
	row->lease_left_s =
		(txn->policy->lease_us - (txn->in->steady_us - live->heard_us)) / 1000000;
	if (row->lease_left_s < node_extension_ms(txn, n) / 1000)
		row->lease_left_s = node_extension_ms(txn, n) / 1000;
	if (row->lease_left_s < 0)
		row->lease_left_s = 0;
	row->extension_left_s = node_extension_ms(txn, n) / 1000;
	row->extension_reason = n->extension_reason ? n->extension_reason : (char *)"";
	row->rebooting = n->reboot;
	row->connected = live->conn != 0;
	row->set_labels = n->set->set_labels;
	row->n_set_labels = n->set->n_set_labels;
	row->set_taints = n->set->set_taints;
	row->n_set_taints = n->set->n_set_taints;
	row->node_id.data = (uint8_t *)n->node_id;
	row->node_id.len = sizeof(n->node_id);
	r->nodes[r->n_nodes++] = row;
}

/*
 * A node of armada.conf that has never registered. The controller knows nothing of it, but an administrator
 * looks for it here.
 */
static void add_declared(struct txn *txn, const struct conf_node *p, Armada__ListNodesReply *r)
{
	Armada__NodeRow *row = arena_alloc(txn->arena, sizeof(*row));
	struct resources total = {{0}};

	total.amount[resource_index("cpu")] = p->cpu_milli;
	total.amount[resource_index("memory")] = p->memory_bytes;
	total.amount[resource_index("gpu")] = p->gpus;
	armada__node_row__init(row);
	row->name = (char *)p->name;
	row->state = ARMADA__NODE_STATE__NODE_DOWN;
	row->total = resources_message(total.amount, txn->arena, &row->n_total);
	row->reason = (char *)"declared in armada.conf, but its armd has never registered";
	row->reason_by = (char *)"armctld";
	r->nodes[r->n_nodes++] = row;
}

static const struct conf_node *find_declared(const struct txn *txn, const char *name)
{
	for (size_t i = 0; i < txn->policy->node_count; i++)
		if (strcmp(txn->policy->nodes[i].name, name) == 0)
			return &txn->policy->nodes[i];
	return NULL;
}

static void add_all(struct txn *txn, Armada__ListNodesReply *r)
{
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next)
		add_node(txn, n, r);
	for (size_t i = 0; i < txn->policy->node_count; i++)
		if (!node_find(txn->state, txn->policy->nodes[i].name))
			add_declared(txn, &txn->policy->nodes[i], r);
}

void req_list_nodes(struct txn *txn, const Armada__ListNodesRequest *m)
{
	Armada__ListNodesReply r = ARMADA__LIST_NODES_REPLY__INIT;
	size_t most =
		m->n_names ? m->n_names : HASH_COUNT(txn->state->nodes) + txn->policy->node_count;

	r.nodes = arena_alloc(txn->arena, most * sizeof(*r.nodes));
	r.missing = arena_alloc(txn->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		add_all(txn, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n = node_find(txn->state, m->names[i]);
		const struct conf_node *declared = n ? NULL : find_declared(txn, m->names[i]);

		if (n)
			add_node(txn, n, &r);
		else if (declared)
			add_declared(txn, declared, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	reply(txn, MSG_LIST_NODES_REPLY, &r);
}
