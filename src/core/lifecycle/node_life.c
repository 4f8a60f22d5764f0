/*
 * The state of nodes: silence, draining, return, and failures to start jobs.
 *
 * Input: an event of a node (enum node_event), from a request, a report or the clock. Output:
 * node_state_set if the state or its reason changes, withdrawn pending leases if the node is no
 * longer up, and element_unknown for the elements of a node that became silent.
 *
 * Caveat: silence ends no task. Only proofs of death do (death_proof.h).
 */
#define LOG_AREA LOG_AREA_NODE
#include "core/lifecycle/node_life.h"

#include "conf/quantity.h"
#include "core/lifecycle/death_proof.h"
#include "core/lifecycle/node_fence.h"
#include "core/lifecycle/node_lease.h"
#include "core/lifecycle/pending_lease.h"
#include "core/txn/emit.h"
#include "util/plural.h"
#include "util/units.h"

#include <assert.h>
#include <string.h>

#define JOB(name)  ARMADA__JOB_STATE__JOB_##name
#define NODE(name) ARMADA__NODE_STATE__NODE_##name

static void set_state(struct txn *txn, const struct node *n, int state, const char *reason,
		      const char *by)
{
	Armada__NodeStateSet *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_NODE_STATE_SET, &m);

	m->name = n->name;
	m->state = (Armada__NodeState)state;
	m->reason = arena_strdup(txn->arena, reason);
	m->by = arena_strdup(txn->arena, by);
	emit_event(txn, ev);
	if (state != NODE(UP))
		pending_leases_withdraw(txn, n,
					arena_printf(txn->arena, "node %s: %s", n->name, reason));
}

void node_event(struct txn *txn, const struct node *n, enum node_event ev, const char *reason,
		const char *by)
{
	struct node_live *live = live_node(txn->live, n);
	int next = node_next(n->state, ev);

	assert(next != NEXT_NONE);
	/* a new drain or a confirmed death also replaces the reason and the name of its author */
	if (next != n->state || ev == NODE_EV_DRAIN || (ev == NODE_EV_DEAD && next == NODE(DOWN)))
		set_state(txn, n, next, reason, by);
	if (ev == NODE_EV_SILENT || ev == NODE_EV_DEAD)
		live->silent = n->state == NODE(DRAINED);
	if (ev == NODE_EV_RESUME) {
		live->silent = false; /* the next tick checks again */
		node_did_well(txn, n);
	}
	txn->wants_round = true;
}

bool node_is_drained_by(const struct node *n, const char *by)
{
	return n->state == NODE(DRAINED) && n->reason_by && strcmp(n->reason_by, by) == 0;
}

static void node_lost(struct txn *txn, const struct node *n, const char *reason)
{
	const struct task *t;

	node_event(txn, n, NODE_EV_SILENT, reason, "armctld");
	LIST_FOREACH (t, &n->tasks, on_node) {
		Armada__ElementUnknown *m;
		Armada__Event *ev;

		if (t->state == TASK_ENDED ||
		    machine_next(t->element->state, EV_NODE_SILENT) == NEXT_NONE)
			continue;
		ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_UNKNOWN, &m);
		m->job = t->element->job->id;
		m->element = t->element->index;
		m->text = arena_printf(txn->arena, "node %s: %s", n->name, reason);
		m->state = JOB(UNKNOWN);
		emit_event(txn, ev);
	}
}

void node_did_well(struct txn *txn, const struct node *n)
{
	live_node(txn->live, n)->failed_count = 0;
}

void node_failed(struct txn *txn, const struct node *n, uint64_t job, const char *text)
{
	struct node_live *live = live_node(txn->live, n);
	uint32_t most = txn->policy->drain_after < NODE_FAILED_MAX ? txn->policy->drain_after
								   : NODE_FAILED_MAX;

	for (uint32_t i = 0; i < live->failed_count; i++)
		if (live->failed[i] == job)
			return;
	if (live->failed_count < NODE_FAILED_MAX)
		live->failed[live->failed_count++] = job;
	if (!most || live->failed_count < most || n->state != NODE(UP))
		return;
	node_event(txn, n, NODE_EV_DRAIN,
		   arena_printf(txn->arena,
				"%u job%s in a row could not be started here; the last: %.200s",
				live->failed_count, plural(live->failed_count, "", "s"), text),
		   "armctld");
	node_did_well(txn, n);
}

static const char by_conf[] = "armada.conf";

static const char *lacks(struct txn *txn, const char *what, int64_t has, int64_t wants,
			 int64_t unit)
{
	if (has >= wants)
		return NULL;
	if (unit > 1 && has % unit == 0 && wants % unit == 0) {
		has /= unit;
		wants /= unit;
		unit = 1;
	}
	return arena_printf(txn->arena, "has %.10g %s, armada.conf requires %.10g",
			    (double)has / (double)unit, what, (double)wants / (double)unit);
}

static int64_t amount(const struct node *n, const char *name)
{
	int r = resource_index(name);

	return r < 0 ? 0 : n->total.amount[r];
}

/* The same for another resource, as declared: "fpga=2". */
static const char *lacks_offer(struct txn *txn, const struct node *n, const char *text)
{
	char has[32], wants[32];
	struct offer o;
	int r;

	if (offer_parse(text, &o, NULL) < 0 || (r = resource_index(o.name)) < 0 ||
	    n->total.amount[r] >= o.amount)
		return NULL;
	resource_format((size_t)r, n->total.amount[r], has, sizeof(has));
	resource_format((size_t)r, o.amount, wants, sizeof(wants));
	return arena_printf(txn->arena, "has %s of %s, armada.conf requires %s", has, o.name,
			    wants);
}

bool node_is_expected(const struct txn *txn, const char *name)
{
	if (!txn->policy->closed)
		return true;
	for (size_t i = 0; i < txn->policy->node_count; i++)
		if (strcmp(txn->policy->nodes[i].name, name) == 0)
			return true;
	return false;
}

/* What the node lacks of its armada.conf entry, as text; NULL: nothing. */
static const char *shortfall(struct txn *txn, const struct node *n)
{
	const char *text = NULL;

	if (!node_is_expected(txn, n->name))
		return "it is no longer among the nodes of armada.conf (agents.auto_register)";

	for (size_t i = 0; i < txn->policy->node_count && !text; i++) {
		const struct conf_node *p = &txn->policy->nodes[i];

		if (strcmp(p->name, n->name) != 0)
			continue;
		text = lacks(txn, "cpus", amount(n, "cpu"), p->cpu_milli, 1000);
		if (!text)
			text = lacks(txn, "MiB of memory", amount(n, "memory"), p->memory_bytes,
				     1 << 20);
		if (!text)
			text = lacks(txn, "gpus", amount(n, "gpu"), p->gpus, 1);
		for (size_t k = 0; k < p->resource_count && !text; k++)
			text = lacks_offer(txn, n, p->resources[k]);
	}
	return text;
}

void node_check_minimum(struct txn *txn, const struct node *n)
{
	bool ours = node_is_drained_by(n, by_conf);
	const char *text = n->linked ? shortfall(txn, n) : NULL;

	if (text && (n->state == NODE(UP) || (ours && strcmp(n->reason, text) != 0)))
		node_event(txn, n, NODE_EV_DRAIN, text, by_conf);
	else if (!text && ours && n->linked)
		node_event(txn, n, NODE_EV_RESUME, "", by_conf);
}

static bool is_known_lost(struct txn *txn, const struct node *n)
{
	return n->state == NODE(UNKNOWN) || (n->state == NODE(DOWN) && !node_live(n)) ||
	       live_node(txn->live, n)->silent;
}

static void look_if_silent(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);
	int64_t limit_us = txn->policy->node_timeout_us;
	int64_t silent_us = txn->in->steady_us - live->heard_us;

	if (is_known_lost(txn, n) || silent_us <= limit_us)
		return;
	if (live->conn)
		effect_close(txn, live->conn, "no heartbeat");
	effect_log_about(txn, LOG_FROM, LOG_WARN, &(struct log_about){.node = n->name},
			 "node %s: silent for %s", n->name, duration_words(silent_us).text);
	node_lost(txn, n,
		  arena_printf(txn->arena, "no heartbeat for %s", duration_words(limit_us).text));
}

void node_look_at_clock(struct txn *txn, const struct node *n)
{
	look_if_silent(txn, n);
	node_leases_tick(txn, n);
	node_fence_tick(txn, n);
}
