/*
 * UPDATE_NODE: drains, resumes, reboots, labels, taints or deletes nodes, or confirms them dead.
 *
 * All named nodes are checked first, so that all of them change or none. Confirming a node dead is a
 * proof of death (PROOF_ADMIN): its tasks end and may run again elsewhere. So it is refused as long
 * as the node was heard of within node_timeout.
 */
#include "core/lifecycle/death_proof.h"
#include "core/lifecycle/node_labels.h"
#include "core/lifecycle/node_life.h"
#include "core/lifecycle/node_reboot.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/no_such.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <string.h>

/* A change of nodes. `may` is called for all nodes before `act`, so that all change or none. */
struct action {
	bool (*may)(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m);
	/* Returns a text for the answer; "": none. */
	const char *(*act)(struct txn *txn, const struct node *n,
			   const Armada__UpdateNodeRequest *m, const char *by);
	const char *done; /* "%zu nodes ..." */
	/* Returns instead of `done` what was done. */
	const char *(*did)(struct txn *txn, const Armada__UpdateNodeRequest *m);
	/* Returns why the node needs no change, one of few constants; NULL: it is changed. */
	const char *(*needless)(const struct node *n);
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
	if (n->state == ARMADA__NODE_STATE__NODE_DRAINED)
		return arena_printf(txn->arena, "%s is drained again: %s", n->name, n->reason);
	return "";
}

static const char *needs_no_resume(const struct node *n)
{
	switch (n->state) {
	case ARMADA__NODE_STATE__NODE_UP:
		return n->reboot ? NULL : "up already";
	case ARMADA__NODE_STATE__NODE_DOWN:
		return "down, not drained: up again when armd registers";
	case ARMADA__NODE_STATE__NODE_UNKNOWN:
		return "unknown, not drained: up again when armd answers";
	default:
		return NULL;
	}
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

/* ": label rack=r7 set, old removed" */
static const char *label_done(struct txn *txn, const Armada__UpdateNodeRequest *m)
{
	bool taints = m->action == ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_TAINT;
	size_t set = m->n_labels + m->n_taints;
	char *text = arena_printf(txn->arena, ": %s%s", taints ? "taint" : "label",
				  plural(set + m->n_remove, "", "s"));

	for (size_t i = 0; i < m->n_labels; i++)
		text = arena_printf(txn->arena, "%s%s %s=%s", text, i ? "," : "", m->labels[i]->key,
				    m->labels[i]->value);
	for (size_t i = 0; i < m->n_taints; i++)
		text = arena_printf(txn->arena, "%s%s %s%s%s:%s", text, i ? "," : "",
				    m->taints[i]->key, m->taints[i]->value[0] ? "=" : "",
				    m->taints[i]->value, m->taints[i]->effect);
	if (set)
		text = arena_printf(txn->arena, "%s set%s", text, m->n_remove ? ";" : "");
	for (size_t i = 0; i < m->n_remove; i++)
		text = arena_printf(txn->arena, "%s%s %s", text, i ? "," : "", m->remove[i]);
	return m->n_remove ? arena_printf(txn->arena, "%s removed", text) : text;
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

static bool may_refresh(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m)
{
	(void)m;
	if (live_node(txn->live, n)->conn)
		return true;
	reply_refuse(txn, 1, "node %s is not connected; nothing was changed", n->name);
	return false;
}

/* The answer to its next heartbeat says so. */
static const char *refresh(struct txn *txn, const struct node *n,
			   const Armada__UpdateNodeRequest *m, const char *by)
{
	(void)m, (void)by;
	live_node(txn->live, n)->refresh = true;
	return "";
}

#define ACTION(name) [ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name]

static const struct action actions[] = {
	ACTION(DRAIN) = {NULL, drain, "drained: running tasks continue, and no task is started",
			 .needs_reason = true},
	ACTION(RESUME) = {NULL, resume, "resumed", .needless = needs_no_resume},
	ACTION(CONFIRM_DEAD) = {may_be_dead, confirm_dead, "confirmed dead", .dry = true},
	ACTION(REBOOT) = {may_reboot, reboot, "to be rebooted as soon as nothing runs there",
			  .dry = false},
	ACTION(LABEL) = {may_label, label, .did = label_done},
	ACTION(TAINT) = {may_label, label, .did = label_done},
	ACTION(REFRESH) = {may_refresh, refresh, "asked for their resources", .dry = false},
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

/* The named nodes that need no change, by the reason. */
struct needless {
	const char *why; /* one of the constants of the action */
	const char **names;
	size_t count;
};
enum { NEEDLESS_MAX = 4 };

static void add_needless(struct txn *txn, struct needless *list, const char *why, const char *name,
			 size_t most)
{
	size_t i = 0;

	while (i < NEEDLESS_MAX - 1 && list[i].why && list[i].why != why)
		i++;
	if (!list[i].names)
		list[i].names = arena_alloc(txn->arena, most * sizeof(*list[i].names));
	list[i].why = why;
	list[i].names[list[i].count++] = arena_strdup(txn->arena, name);
}

/* "\nn[3-9] are up already" */
static const char *needless_text(struct txn *txn, const struct needless *list)
{
	const char *text = "";

	for (size_t i = 0; i < NEEDLESS_MAX && list[i].why; i++) {
		struct buf names CLEANUP_BUF = {0};

		hostlist_compress(list[i].names, list[i].count, &names);
		text = arena_printf(txn->arena, "%s\n%s %s %s", text, (const char *)names.data,
				    plural(list[i].count, "is", "are"), list[i].why);
	}
	return text;
}

static bool may_change(struct txn *txn, const struct action *a, const Armada__UpdateNodeRequest *m)
{
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n = node_find(txn->state, m->names[i]);

		if (!n) {
			reply_refuse(txn, 3, "%s", no_such_node(txn, m->names[i]));
			return false;
		}
		if (a->may && !a->may(txn, n, m))
			return false;
	}
	return true;
}

void req_update_node(struct txn *txn, const Armada__UpdateNodeRequest *m)
{
	const char *by = txn->in->caller->user ? txn->in->caller->user : "an administrator";
	struct needless needless[NEEDLESS_MAX] = {0};
	const struct action *a = &actions[0];
	const char *text = "", *done;
	size_t count = 0;

	if (!may_update(txn, m))
		return;
	a = &actions[m->action];
	if (!may_change(txn, a, m))
		return;
	for (size_t i = 0; i < m->n_names; i++) {
		const struct node *n =
			node_find(txn->state, m->names[i]); /* named twice, it may be gone */
		const char *why = n && a->needless ? a->needless(n) : NULL;
		const char *more = n && !why ? a->act(txn, n, m, by) : "";

		if (why)
			add_needless(txn, needless, why, n->name, m->n_names);
		count += !why;
		text = arena_printf(txn->arena, "%s%s%s", text, *more ? "\n" : "", more);
	}
	text = arena_printf(txn->arena, "%s%s", text, needless_text(txn, needless));
	done = a->did ? a->did(txn, m) : a->done;
	if (!count)
		reply_ok(txn, "%s", text + 1);
	else
		reply_ok(txn, "%zu node%s%s%s%s%s", count, plural(count, "", "s"),
			 a->did ? "" : " ", m->dry_run ? "would be " : "", done, text);
}
