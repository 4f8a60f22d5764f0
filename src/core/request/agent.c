/*
 * REGISTER_NODE, HEARTBEAT, REPORTS: messages of nodes, and the answers to them.
 *
 * A registration contains the whole spool of the node. It is refused if another machine or another
 * spool uses the name while tasks may still run. Otherwise the order is: labels and resources, the
 * link, ends proved by a restart, the state of the node, the reports, then orders for tasks that
 * the node did not list. Until the end `registering` is set, so no lease goes to the node:
 * otherwise an order sent during the comparison would be taken for an order that the node has lost.
 *
 * Caveat: a reported end is acknowledged (when the record is durable) even if it is stale, because
 * the node would repeat it for ever. A reported task is killed if the state does not have it on
 * this node, or if an administrator, the fence program or a lease wrongly proved its end.
 */
#define LOG_AREA LOG_AREA_NODE
#include "core/admission/registration.h"
#include "core/lifecycle/death_proof.h"
#include "core/lifecycle/elastic_scale.h"
#include "core/lifecycle/element.h"
#include "core/lifecycle/element_known.h"
#include "core/view/lease_time.h"
#include "core/lifecycle/node_health.h"
#include "core/lifecycle/node_labels.h"
#include "core/lifecycle/node_life.h"
#include "core/lifecycle/node_reboot.h"
#include "core/lifecycle/node_shutdown.h"
#include "core/lifecycle/orders.h"
#include "core/lifecycle/pending_lease.h"
#include "core/lifecycle/start_barrier.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "util/plural.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static void turn_away(struct txn *txn, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void turn_away(struct txn *txn, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	reply_refuse(txn, 1, "%s", text);
	effect_log(txn, 4, "a registration from %s was refused: %s", txn->in->caller->address,
		   text);
	effect_close(txn, txn->in->conn, "registration refused");
}

static bool id_is(const ProtobufCBinaryData *id, const uint8_t known[16])
{
	return id->len == 16 && memcmp(id->data, known, 16) == 0;
}

/*
 * A node that armada.conf no longer names may still join while it has tasks; otherwise they would
 * end with their leases.
 */
static bool may_join(const struct txn *txn, const char *name)
{
	const struct node *n = node_find(txn->state, name);

	return node_is_expected(txn, name) || (n && node_live(n));
}

static bool well_formed(struct txn *txn, const Armada__RegisterNode *m, const struct node *n)
{
	const struct node *other = live_node_by_conn(txn->live, txn->state, txn->in->conn);
	struct err err;

	if (registration_check(txn, m, n != NULL, &err) < 0)
		turn_away(txn, "%s", err.text);
	else if (other && other != n)
		turn_away(txn, "node %s is on this connection, so node %s cannot be", other->name,
			  m->name);
	else if (!may_join(txn, m->name))
		turn_away(
			txn,
			"node %s is not among the nodes of armada.conf, and no other node may join "
			"(agents.auto_register)",
			m->name);
	else if (m->cluster_id.len && !id_is(&m->cluster_id, txn->state->cluster_id))
		turn_away(txn, "node %s belongs to another cluster", m->name);
	else if (m->epoch > txn->state->epoch)
		turn_away(txn,
			  "node %s has seen epoch %" PRIu64 ", this controller has epoch %" PRIu64
			  ": another controller has taken over",
			  m->name, m->epoch, txn->state->epoch);
	else
		return true;
	return false;
}

/* False: another machine, or another spool, uses a name that is taken. */
static bool may_take_name(struct txn *txn, const Armada__RegisterNode *m, const struct node *n)
{
	if (id_is(&m->node_id, n->node_id) && id_is(&m->spool_id, n->spool_id))
		return true;
	if (live_node(txn->live, n)->conn && live_node(txn->live, n)->conn != txn->in->conn &&
	    !id_is(&m->node_id, n->node_id)) {
		turn_away(txn, "node %s is registered by another armd at %s", n->name,
			  n->set->address);
		return false;
	}
	/* a boot of another machine proves nothing about tasks on this one */
	if (node_live(n) && !id_is(&m->node_id, n->node_id)) {
		turn_away(
			txn,
			"node %s is another machine, or has lost its spool, and its old tasks may "
			"still run: an administrator must confirm them dead first (anode "
			"confirm-dead)",
			n->name);
		return false;
	}
	if (node_live(n) && strcmp(m->boot_id, n->boot_id) == 0) {
		turn_away(txn,
			  "node %s has another spool, and tasks of the old spool may still run: an "
			  "administrator must confirm them dead first (anode confirm-dead)",
			  n->name);
		return false;
	}
	return true;
}

/* Stores which tasks the node's spool contains, and discards what was stored before. */
static void note_reported(struct txn *txn, const struct node *n, const Armada__RegisterNode *m)
{
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node)
		live_task(txn->live, t)->accepted = false;
	for (size_t i = 0; i < m->n_reports; i++) {
		t = task_find(txn->state, m->reports[i]->key);
		if (t && t->node == n)
			live_task(txn->live, t)->accepted = true;
	}
}

/* True if the task is missing in the registration after a restart: the spool would list it. */
static bool is_lost(const struct txn *txn, const struct task *t, const void *registration)
{
	(void)txn;
	(void)registration;
	return !live_task(txn->live, t)->accepted;
}

static void link_node(struct txn *txn, const struct node *n, const Armada__RegisterNode *m)
{
	struct node_live *live = live_node(txn->live, n);
	Armada__NodeLinked *linked;
	Armada__Event *ev;

	if (live->conn && live->conn != txn->in->conn)
		effect_close(txn, live->conn, "the node registered again");
	live->conn = txn->in->conn;
	live->heard_us = txn->in->steady_us;
	live->seen_us = txn->in->wall_us;
	live->silent = false;
	live->registered = true;
	live->steps = m->steps;
	if (n->linked)
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_NODE_LINKED, &linked);
	linked->name = n->name;
	linked->linked = true;
	emit_event(txn, ev);
}

static void bring_back(struct txn *txn, const struct node *n)
{
	const struct task *t;

	node_event(txn, n, NODE_EV_BACK, "", "armctld");
	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->element->state == JOB(UNKNOWN) && element_answers(txn, t->element, n))
			element_is_known(txn, t->element);
}

/* Kills an attempt that runs on the node but is no longer in the state. */
static void kill_stray(struct txn *txn, const struct node *n, const Armada__Report *r)
{
	struct effect *e = effect_add(txn, EFFECT_ORDER);

	txn->live->stale++;
	e->conn = txn->in->conn;
	e->order.kind = ORDER_KILL;
	memcpy(e->order.cluster_id, txn->state->cluster_id, 16);
	memcpy(e->order.node_id, n->node_id, 16);
	e->order.epoch = txn->state->epoch;
	e->order.seq = r->seq;
	e->order.key =
		(struct task_key){r->key->job, r->key->element, r->key->rank, r->key->attempt};
	e->order.cause = ARMADA__END_CAUSE__END_LOST;
	e->order.grace_ms = 1000;
	effect_log_about(txn, LOG_FROM, LOG_WARN,
			 &(struct log_about){.node = n->name, .job = r->key->job},
			 "node %s: it runs job %" PRIu64
			 "_%u attempt %u, which has ended for the controller: a kill order is sent",
			 n->name, r->key->job, r->key->element, r->key->attempt);
}

static void take_report(struct txn *txn, const struct node *n, const Armada__Report *r,
			Armada__ReportAck *acks)
{
	const struct task *t = task_find(txn->state, r->key);
	bool known = t && t->node == n && !t->element->lease_pending;
	bool ours = known && t->state != TASK_ENDED;
	/* a proof by an administrator, the fence program or the lease was wrong */
	bool was_taken_for_dead = known && t->state == TASK_ENDED &&
				  (t->cause == ARMADA__END_CAUSE__END_LOST ||
				   t->cause == ARMADA__END_CAUSE__END_LEASE);

	if (!r->key)
		return; /* task_find() found nothing either */
	if (r->kind == ARMADA__REPORT__KIND__REPORT_ENDED) {
		acks->ended[acks->n_ended++] = r->key;
		if (ours && r->end)
			death_proof_report(txn, t, r->end);
		else
			txn->live->stale++;
		return;
	}
	if (r->kind == ARMADA__REPORT__KIND__REPORT_STARTED)
		acks->started[acks->n_started++] = r->key;
	if (ours) {
		live_task(txn->live, t)->accepted = true;
		live_task(txn->live, t)->settings = r->settings;
		if (r->kind == ARMADA__REPORT__KIND__REPORT_STARTED)
			task_start(txn, t, r->start_us);
		else if (r->kind == ARMADA__REPORT__KIND__REPORT_READY)
			start_barrier_ready(txn, t);
	} else if (!known || was_taken_for_dead) {
		kill_stray(txn, n, r);
	}
}

/* Checks the start barrier of elements with new READY tasks, each element once. */
static void check_barriers(struct txn *txn, Armada__Report *const *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct task *t = task_find(txn->state, reports[i]->key);

		if (t && live_element(txn->live, t->element)->start_barrier_check)
			start_barrier_check(txn, t->element);
	}
}

static void take_reports(struct txn *txn, const struct node *n, Armada__Report *const *reports,
			 size_t count)
{
	Armada__ReportAck acks = ARMADA__REPORT_ACK__INIT;

	acks.ended = arena_alloc(txn->arena, count * sizeof(*acks.ended));
	acks.started = arena_alloc(txn->arena, count * sizeof(*acks.started));
	for (size_t i = 0; i < count; i++)
		take_report(txn, n, reports[i], &acks);
	check_barriers(txn, reports, count);
	if (acks.n_ended || acks.n_started)
		effect_send(txn, txn->in->conn, 0, MSG_REPORT_ACK, &acks);
}

/* Stores the latest stamp of the node. Orders to the node carry it back. */
static void take_stamp(struct txn *txn, const struct node *n, const ProtobufCBinaryData *stamp)
{
	struct node_live *live = live_node(txn->live, n);

	if (stamp->len == sizeof(live->stamp))
		memcpy(live->stamp, stamp->data, sizeof(live->stamp));
	else
		memset(live->stamp, 0, sizeof(live->stamp));
}

static void welcome(struct txn *txn, const struct node *n)
{
	Armada__Registered r = ARMADA__REGISTERED__INIT;

	r.cluster_id.data = (uint8_t *)txn->state->cluster_id;
	r.cluster_id.len = sizeof(txn->state->cluster_id);
	r.epoch = txn->state->epoch;
	r.heartbeat_ms = txn->policy->heartbeat_us / 1000;
	r.usage_ms = txn->policy->usage_us / 1000;
	r.lease_ms = txn->policy->lease_us / 1000;
	r.steps = true;
	r.extension_ms = node_extension_ms(txn, n);
	reply(txn, MSG_REGISTERED, &r);
	order_lease(txn, n);
}

/*
 * Compares the state with the registration. Orders that the node did not list are repeated or
 * ended.
 */
static void reconcile(struct txn *txn, const struct node *n)
{
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		if (t->state != TASK_STARTED || live_task(txn->live, t)->accepted ||
		    t->element->why)
			continue;
		/* started, but not in the spool: the kill makes the node refuse it durably */
		order_kill_task(txn, t, ARMADA__END_CAUSE__END_LOST);
	}
	orders_resend(txn, n, true);
}

void req_register_node(struct txn *txn, const Armada__RegisterNode *m)
{
	const struct node *n = node_find(txn->state, m->name);
	bool rebooted = n && strcmp(n->boot_id, m->boot_id) != 0;
	const struct task *t;

	if (!well_formed(txn, m, n) || (n && !may_take_name(txn, m, n)))
		return;
	node_emit_set(txn, n, m);
	n = node_find(txn->state, m->name);
	/* an order that leaves now would look like an order that the node has forgotten */
	live_node(txn->live, n)->registering = true;
	link_node(txn, n, m);
	take_stamp(txn, n, &m->stamp);
	note_reported(txn, n, m);
	if (rebooted)
		death_proof_ends(txn, n, PROOF_BOOT, is_lost, m,
				 arena_printf(txn->arena, "node %s was restarted", n->name));
	bring_back(txn, n);
	if (rebooted)
		node_reboot_done(txn, n);
	node_check_minimum(txn, n);
	node_take_leaving(txn, n, m->leaving);
	welcome(txn, n);
	LIST_FOREACH (t, &n->tasks, on_node)
		live_forget_reports(txn->live, t);
	take_reports(txn, n, m->reports, m->n_reports);
	reconcile(txn, n);
	live_node(txn->live, n)->registering = false;
	pending_leases_fit(txn, n);
	txn->wants_round = true;
	effect_log_about(txn, LOG_FROM, LOG_NOTICE, &(struct log_about){.node = n->name},
			 "node %s: registered from %s with %zu %s", n->name,
			 txn->in->caller->address, m->n_reports,
			 plural(m->n_reports, "task", "tasks"));
}

void req_heartbeat(struct txn *txn, const Armada__Heartbeat *m)
{
	Armada__HeartbeatAck ack = ARMADA__HEARTBEAT_ACK__INIT;
	const struct node *n = live_node_by_conn(txn->live, txn->state, txn->in->conn);

	if (!n)
		return;
	live_node(txn->live, n)->heard_us = txn->in->steady_us;
	live_node(txn->live, n)->seen_us = txn->in->wall_us;
	take_stamp(txn, n, &m->stamp);
	ack.number = m->number;
	ack.epoch = txn->state->epoch;
	ack.extension_ms = node_extension_ms(txn, n);
	ack.refresh = live_node(txn->live, n)->refresh;
	live_node(txn->live, n)->refresh = false;
	reply(txn, MSG_HEARTBEAT_ACK, &ack);
	order_lease(txn, n);
	node_take_health(txn, n, m->health);
	node_take_cpus(txn, n, m->cpu_containment);
	node_reboot_tick(txn, n);
	node_take_leaving(txn, n, m->leaving);
	elastic_scale_go_on(txn, n);
	orders_resend(txn, n, false);
}

void req_reports(struct txn *txn, const Armada__Reports *m)
{
	const struct node *n = live_node_by_conn(txn->live, txn->state, txn->in->conn);

	if (!n) {
		txn->live->stale += m->n_reports;
		return;
	}
	live_node(txn->live, n)->heard_us = txn->in->steady_us;
	take_reports(txn, n, m->reports, m->n_reports);
}
