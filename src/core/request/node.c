/*
 * LIST_NODES and UPDATE_NODE.
 *
 * UPDATE_NODE drains, resumes, reboots, labels, taints or deletes nodes, or confirms them dead. All
 * named nodes are checked first, so that all of them change or none. Confirming a node dead is a
 * proof of death (PROOF_ADMIN): its tasks end and may run again elsewhere. So it is refused as long
 * as the node was heard of within node_timeout.
 */
#include "conf/node_table.h"
#include "core/lifecycle/death_proof.h"
#include "core/view/lease_time.h"
#include "core/lifecycle/node_labels.h"
#include "core/lifecycle/node_life.h"
#include "core/lifecycle/node_reboot.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/no_such.h"
#include "core/view/state_reason.h"
#include "core/view/visibility.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

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

#define DECLARED(name)                row->name = n->set->name;
#define DETECTED(name)                DECLARED(name)
#define SHOW(member, registered, ...) registered

static void add_node(struct txn *txn, const struct node *n, Armada__ListNodesReply *r)
{
	struct node_live *live = live_node(txn->live, n);
	char *unlinked = state_reason_of_node(txn, n, txn->arena);
	Armada__NodeRow *row = arena_alloc(txn->arena, sizeof(*row));
	struct resources used;
	const struct task *t;

	armada__node_row__init(row);
	node_used(n, &used);
	LIST_FOREACH (t, &n->tasks, on_node)
		row->tasks += t->state != TASK_ENDED && !t->element->lease_pending;
	row->name = n->name;
	row->state = shown_state(n, row->tasks);
	row->total = resources_message(n->total.amount, txn->arena, &row->n_total);
	add_uncounted(txn, n, row);
	row->allocated = resources_message(used.amount, txn->arena, &row->n_allocated);
	row->labels = n->set->labels;
	row->n_labels = n->set->n_labels;
	row->taints = n->set->taints;
	row->n_taints = n->set->n_taints;
	row->reason = n->reason ? visibility_text(txn, n->reason) : (char *)"";
	if (!row->reason[0] && unlinked)
		row->reason = unlinked;
	row->reason_by = n->reason_by ? n->reason_by : (char *)"";
	row->reason_us = n->reason_us;
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

void req_list_nodes(struct txn *txn, const Armada__ListNodesRequest *m)
{
	Armada__ListNodesReply r = ARMADA__LIST_NODES_REPLY__INIT;
	size_t most = m->n_names ? m->n_names : HASH_COUNT(txn->state->nodes);

	r.nodes = arena_alloc(txn->arena, most * sizeof(*r.nodes));
	r.missing = arena_alloc(txn->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		for (const struct node *n = txn->state->nodes; n; n = n->hh.next)
			add_node(txn, n, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n = node_find(txn->state, m->names[i]);

		if (n)
			add_node(txn, n, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	reply(txn, MSG_LIST_NODES_REPLY, &r);
}

/* A change of nodes. `may` is called for all nodes before `act`, so that all change or none. */
struct action {
	bool (*may)(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m);
	/* Returns a text for the answer; "": none. */
	const char *(*act)(struct txn *txn, const struct node *n,
			   const Armada__UpdateNodeRequest *m, const char *by);
	const char *done; /* "%zu nodes ..." */
	bool needs_reason;
	bool dry; /* it has a dry run */
};

static const char *drain(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
			 const char *by)
{
	node_event(txn, n, NODE_EV_DRAIN, m->reason, by);
	return "";
}

static const char *resume(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
			  const char *by)
{
	(void)m;
	node_reboot_forget(txn, n);
	node_event(txn, n, NODE_EV_RESUME, "", by);
	node_check_minimum(txn, n);
	return "";
}

static bool may_be_dead(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m)
{
	struct node_live *live = live_node(txn->live, n);
	int64_t silent_us = txn->in->steady_us - live->heard_us;

	(void)m;
	if (silent_us > txn->policy->node_timeout_us)
		return true;
	if (live->conn)
		reply_refuse(
			txn, 1,
			"node %s is not dead: it is connected, and its last message came %s ago; "
			"nothing was changed",
			n->name, duration_words(silent_us).text);
	else
		reply_refuse(
			txn, 1,
			"the last message of node %s came %s ago (or the controller "
			"started then): wait until it has been silent for %s; nothing was changed",
			n->name, duration_words(silent_us).text,
			duration_words(txn->policy->node_timeout_us).text);
	return false;
}

enum { ATTEMPTS_NAMED = 20 };

/* "812_7.3/1, 813_0.0/2 and 4 more" */
static const char *live_text(struct txn *txn, const struct node *n)
{
	const char *text = "";
	const struct task *t;
	uint32_t count = 0;
	char key[64];

	LIST_FOREACH (t, &n->tasks, on_node) {
		struct task_key k = task_key_of(t);

		if (!task_is_live(txn, t, NULL) || ++count > ATTEMPTS_NAMED)
			continue;
		task_key_format(&k, key);
		text = arena_printf(txn->arena, "%s%s%s", text, *text ? ", " : "", key);
	}
	if (count > ATTEMPTS_NAMED)
		text = arena_printf(txn->arena, "%s and %u more", text, count - ATTEMPTS_NAMED);
	return text;
}

static const char *confirm_dead(struct txn *txn, const struct node *n,
				const Armada__UpdateNodeRequest *m, const char *by)
{
	const char *live = live_text(txn, n);
	uint32_t count = node_live(n);

	if (!m->dry_run) {
		death_proof_ends(txn, n, PROOF_ADMIN, task_is_live, NULL,
				 arena_printf(txn->arena, "node %s was confirmed dead by %s%s%s",
					      n->name, by, *m->reason ? ": " : "", m->reason));
		node_event(txn, n, NODE_EV_DEAD, *m->reason ? m->reason : "confirmed dead", by);
	}
	if (!count)
		return arena_printf(txn->arena, "%s: no attempts", n->name);
	return arena_printf(txn->arena, "%s: %s%u attempt%s: %s", n->name,
			    m->dry_run ? "ends " : "ended ", count, plural(count, "", "s"), live);
}

static bool may_reboot(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m)
{
	(void)m;
	if (n->set->can_reboot)
		return true;
	reply_refuse(
		txn, 1,
		"node %s has no reboot program (agents.reboot_program in its own armada.conf); "
		"nothing was changed",
		n->name);
	return false;
}

static const char *reboot(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
			  const char *by)
{
	node_reboot_ask(txn, n, m, by);
	return "";
}

static const char *label(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
			 const char *by)
{
	(void)by;
	node_relabel(txn, n, m);
	return "";
}

static bool may_label(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m)
{
	struct err err;

	if (node_may_relabel(txn, n, m, &err) == 0)
		return true;
	reply_refuse(txn, 1, "%s; nothing was changed", err.text);
	return false;
}

static bool may_delete(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m)
{
	(void)m;
	if (live_node(txn->live, n)->conn)
		reply_refuse(txn, 1,
			     "node %s is connected: stop its armd first; nothing was changed",
			     n->name);
	else if (!LIST_EMPTY(&n->tasks))
		reply_refuse(
			txn, 1,
			"node %s has tasks: %s; wait for them, or see anode confirm-dead; nothing "
			"was "
			"changed",
			n->name, node_live(n) ? live_text(txn, n) : "of elements that still run");
	else
		return true;
	return false;
}

static const char *delete_node(struct txn *txn, const struct node *n,
			       const Armada__UpdateNodeRequest *m, const char *by)
{
	Armada__NodeDeleted *d;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_NODE_DELETED, &d);

	(void)m;
	(void)by;
	d->name = arena_strdup(txn->arena, n->name);
	emit_event(txn, ev);
	return "";
}

#define ACTION(name) [ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name]

static const struct action actions[] = {
	ACTION(DRAIN) = {NULL, drain, "drained: running tasks continue, and no task is started",
			 .needs_reason = true},
	ACTION(RESUME) = {NULL, resume, "resumed", .dry = false},
	ACTION(CONFIRM_DEAD) = {may_be_dead, confirm_dead, "confirmed dead", .dry = true},
	ACTION(REBOOT) = {may_reboot, reboot, "to be rebooted as soon as nothing runs there",
			  .dry = false},
	ACTION(LABEL) = {may_label, label, "labelled", .dry = false},
	ACTION(TAINT) = {may_label, label, "tainted", .dry = false},
	ACTION(DELETE) = {may_delete, delete_node, "deleted", .dry = false},
};

static bool may_update(struct txn *txn, const Armada__UpdateNodeRequest *m)
{
	if (!m->n_names)
		reply_refuse(txn, 2, "no node named");
	else if (strlen(m->reason) > REASON_LONGEST)
		reply_refuse(txn, 1, "reason: longer than %d bytes", REASON_LONGEST);
	else if ((size_t)m->action >= ARRAY_SIZE(actions) || !actions[m->action].act)
		reply_refuse(txn, 1, "this release does not know this change of a node");
	else if (m->dry_run && !actions[m->action].dry)
		reply_refuse(txn, 2, "only confirm-dead has a dry run");
	else if (actions[m->action].needs_reason && !m->reason[0])
		reply_refuse(txn, 2, "a drain needs a reason");
	else
		return true;
	return false;
}

void req_update_node(struct txn *txn, const Armada__UpdateNodeRequest *m)
{
	const char *by = txn->in->caller->user ? txn->in->caller->user : "an administrator";
	const struct action *a = &actions[0];
	const char *text = "";

	if (!may_update(txn, m))
		return;
	a = &actions[m->action];
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n = node_find(txn->state, m->names[i]);

		if (!n) {
			reply_refuse(txn, 3, "%s", no_such_node(txn, m->names[i]));
			return;
		}
		if (a->may && !a->may(txn, n, m))
			return;
	}
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n =
			node_find(txn->state, m->names[i]); /* named twice, it may be gone */
		const char *more = n ? a->act(txn, n, m, by) : "";

		text = arena_printf(txn->arena, "%s%s%s", text, *more ? "\n" : "", more);
	}
	reply_ok(txn, "%zu node%s %s%s%s", m->n_names, plural(m->n_names, "", "s"),
		 m->dry_run ? "would be " : "", a->done, text);
}
