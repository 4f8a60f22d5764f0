/* REGISTER_NODE, HEARTBEAT, REPORTS: what nodes say, and what they are told. */
#include "core/gate.h"
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static void turn_away(struct core *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void turn_away(struct core *c, const char *fmt, ...)
{
	struct effect *e;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	refuse(c, 1, "%s", text);
	effect_log(c, 4, "a node at %s was turned away: %s", c->in->caller->address, text);
	e = effect_add(c, EFFECT_CLOSE);
	e->conn = c->in->conn;
	e->text = "registration refused";
}

static bool id_is(const ProtobufCBinaryData *id, const uint8_t known[16])
{
	return id->len == 16 && memcmp(id->data, known, 16) == 0;
}

/* So that sums over the tasks of a node, and over all nodes, cannot overflow. */
static bool amounts_are_sane(const Armada__RegisterNode *m)
{
	for (size_t i = 0; i < m->n_resources; i++) {
		if (m->resources[i]->amount < 0 || m->resources[i]->amount > INT64_C(1) << 53)
			return false;
		for (size_t k = 0; k < i; k++)
			if (strcmp(m->resources[i]->name, m->resources[k]->name) == 0)
				return false;
	}
	return true;
}

/* One that armada.conf no longer names stays while it has tasks: they would end with their leases. */
static bool may_join(const struct core *c, const char *name)
{
	const struct node *n = core_find_node(c, name);

	return node_is_expected(c, name) || (n && node_live(n));
}

/* It becomes an argument of the site's programs, and a word of lists (S22). */
static bool is_node_name(const char *name)
{
	static const char may[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strlen(name);

	return len && len <= 255 && name[0] != '-' && name[0] != '.' && strspn(name, may) == len;
}

static bool well_formed(struct core *c, const Armada__RegisterNode *m)
{
	if (!is_node_name(m->name))
		turn_away(c,
			  "'%s' is not a node name: letters, digits, '.', '_' and '-' are, up to "
			  "255 of them, the first a letter, a digit or '_'",
			  m->name);
	else if (m->node_id.len != 16 || m->spool_id.len != 16 || !m->boot_id[0] ||
		 strlen(m->boot_id) >= sizeof(((struct node *)0)->boot_id))
		turn_away(c, "node %s does not say which machine and spool it is", m->name);
	else if (!may_join(c, m->name))
		turn_away(c,
			  "node %s is not among the nodes of armada.conf, and only those may join "
			  "(agents.auto_register)",
			  m->name);
	else if (!amounts_are_sane(m))
		turn_away(c, "node %s has an amount of a resource that cannot be", m->name);
	else if (m->cluster_id.len && !id_is(&m->cluster_id, c->cluster_id))
		turn_away(c, "node %s belongs to another cluster", m->name);
	else if (m->epoch > c->epoch)
		turn_away(c,
			  "node %s has seen epoch %" PRIu64 ", this controller is of epoch %" PRIu64
			  ": another one has taken over",
			  m->name, m->epoch, c->epoch);
	else
		return true;
	return false;
}

/* Another machine, or another memory, under a name that is taken (F17). */
static bool may_take_name(struct core *c, const Armada__RegisterNode *m, const struct node *n)
{
	if (id_is(&m->node_id, n->node_id) && id_is(&m->spool_id, n->spool_id))
		return true;
	if (n->conn && n->conn != c->in->conn && !id_is(&m->node_id, n->node_id)) {
		turn_away(c, "node %s is registered by another armd at %s", n->name,
			  n->set->address);
		return false;
	}
	/* the boot of another machine says nothing of what this one was running */
	if (node_live(n) && !id_is(&m->node_id, n->node_id)) {
		turn_away(
			c,
			"node %s is another machine, or has lost its spool, and tasks may still "
			"run where it was: nothing proves them dead, unless an administrator does "
			"(anode confirm-dead)",
			n->name);
		return false;
	}
	if (node_live(n) && strcmp(m->boot_id, n->boot_id) == 0) {
		turn_away(c,
			  "node %s comes with another spool, and tasks that were started from "
			  "the old one may still run: nothing proves them dead, unless an "
			  "administrator does (anode confirm-dead)",
			  n->name);
		return false;
	}
	return true;
}

/* Note who is in its spool still, whatever was known of that before. */
static void note_reported(struct core *c, struct node *n, const Armada__RegisterNode *m)
{
	struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node)
		t->accepted = false;
	for (size_t i = 0; i < m->n_reports; i++) {
		t = task_find(c, m->reports[i]->key);
		if (t && t->node == n)
			t->accepted = true;
	}
}

/* A task of before the restart of which the node says nothing: the spool would know its end. */
static bool is_lost(const struct core *c, const struct task *t, const void *registration)
{
	(void)c;
	(void)registration;
	return !t->accepted;
}

static void link_node(struct core *c, struct node *n)
{
	Armada__NodeLinked *m;
	Armada__Event *ev;

	if (n->conn && n->conn != c->in->conn) {
		struct effect *e = effect_add(c, EFFECT_CLOSE);

		e->conn = n->conn;
		e->text = "the node registered anew";
	}
	n->conn = c->in->conn;
	n->heard_us = c->in->steady_us;
	n->seen_us = c->in->wall_us;
	n->silent = false;
	if (n->linked)
		return;
	ev = event_make(c, ARMADA__EVENT__KIND_NODE_LINKED, &m);
	m->name = n->name;
	m->linked = true;
	emit(c, ev);
}

Armada__JobState element_true_state(const struct element *e)
{
	if (e->why)
		return JOB(COMPLETING);
	for (uint32_t i = 0; i < e->task_count && !e->start_us; i++)
		if (e->tasks[i].state == TASK_LEASED || e->tasks[i].vacancy)
			return JOB(CONFIGURING);
	return JOB(RUNNING);
}

bool element_answers(const struct element *e, const struct node *n)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED && e->tasks[i].node != n &&
		    (e->tasks[i].node->silent ||
		     e->tasks[i].node->state == ARMADA__NODE_STATE__NODE_UNKNOWN))
			return false;
	return true;
}

static void bring_back(struct core *c, struct node *n)
{
	struct task *t;

	node_event(c, n, NODE_EV_BACK, "", "armctld");
	LIST_FOREACH (t, &n->tasks, on_node) {
		Armada__ElementUnknown *m;
		Armada__Event *ev;

		if (t->element->state != JOB(UNKNOWN) || !element_answers(t->element, n))
			continue;
		ev = event_make(c, ARMADA__EVENT__KIND_ELEMENT_UNKNOWN, &m);
		m->job = t->element->job->id;
		m->element = t->element->index;
		m->back = true;
		m->state = element_true_state(t->element);
		emit(c, ev);
	}
}

struct acks {
	Armada__ReportAck message;
};

static void acks_init(struct core *c, struct acks *a, size_t n)
{
	armada__report_ack__init(&a->message);
	a->message.ended = arena_alloc(c->arena, n * sizeof(*a->message.ended));
	a->message.started = arena_alloc(c->arena, n * sizeof(*a->message.started));
}

/* An attempt that runs there and is none of ours any more: it must end (F7). */
static void kill_stray(struct core *c, const struct node *n, const Armada__Report *r)
{
	struct effect *e = effect_add(c, EFFECT_ORDER);

	c->stale++;
	e->conn = c->in->conn;
	e->order.kind = ORDER_KILL;
	memcpy(e->order.cluster_id, c->cluster_id, 16);
	memcpy(e->order.node_id, n->node_id, 16);
	e->order.epoch = c->epoch;
	e->order.seq = r->seq;
	e->order.key =
		(struct task_key){r->key->job, r->key->element, r->key->rank, r->key->attempt};
	e->order.cause = ARMADA__END_CAUSE__END_LOST;
	e->order.grace_ms = 1000;
	effect_log(c, 4,
		   "node %s runs job %" PRIu64 "_%u attempt %u, which is not live: told to "
		   "end it",
		   n->name, r->key->job, r->key->element, r->key->attempt);
}

static void take_report(struct core *c, struct node *n, const Armada__Report *r, struct acks *acks)
{
	struct task *t = task_find(c, r->key);
	bool known = t && t->node == n && !t->element->promised;
	bool ours = known && t->state != TASK_ENDED;
	/* an administrator, a fence program or its lease said so, and were wrong */
	bool was_taken_for_dead = known && t->state == TASK_ENDED &&
				  (t->cause == ARMADA__END_CAUSE__END_LOST ||
				   t->cause == ARMADA__END_CAUSE__END_LEASE);

	if (!r->key)
		return; /* task_find has found nothing for it either */
	if (r->kind == ARMADA__REPORT__KIND__REPORT_ENDED) {
		acks->message.ended[acks->message.n_ended++] = r->key;
		if (ours && r->end)
			proof_report(c, t, r->end);
		else
			c->stale++;
		return;
	}
	if (r->kind == ARMADA__REPORT__KIND__REPORT_STARTED)
		acks->message.started[acks->message.n_started++] = r->key;
	if (ours) {
		t->accepted = true;
		if (r->kind == ARMADA__REPORT__KIND__REPORT_STARTED)
			task_start(c, t, r->start_us);
		else if (r->kind == ARMADA__REPORT__KIND__REPORT_READY)
			gate_ready(t);
	} else if (!known || was_taken_for_dead) {
		kill_stray(c, n, r);
	}
}

/* Whose tasks have come to the gate: each element once, however many of its tasks are here. */
static void look_at_gates(struct core *c, Armada__Report *const *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct task *t = task_find(c, reports[i]->key);

		if (t && t->element->gate_look)
			gate_look(c, t->element);
	}
}

static void take_reports(struct core *c, struct node *n, Armada__Report *const *reports,
			 size_t count)
{
	struct acks acks;

	acks_init(c, &acks, count);
	for (size_t i = 0; i < count; i++)
		take_report(c, n, reports[i], &acks);
	look_at_gates(c, reports, count);
	if (acks.message.n_ended || acks.message.n_started)
		effect_send(c, c->in->conn, 0, MSG_REPORT_ACK, &acks.message);
}

/* Orders to the node bring it back: the latest that came, whatever was sent before it. */
static void take_stamp(struct node *n, const ProtobufCBinaryData *stamp)
{
	if (stamp->len == sizeof(n->stamp))
		memcpy(n->stamp, stamp->data, sizeof(n->stamp));
	else
		memset(n->stamp, 0, sizeof(n->stamp));
}

static void welcome(struct core *c, const struct node *n)
{
	Armada__Registered r = ARMADA__REGISTERED__INIT;

	r.cluster_id.data = c->cluster_id;
	r.cluster_id.len = sizeof(c->cluster_id);
	r.epoch = c->epoch;
	r.heartbeat_ms = c->policy->heartbeat_us / 1000;
	r.lease_ms = c->policy->lease_us / 1000;
	r.floor = node_floor(c, n);
	r.extension_ms = node_extension_ms(c, n);
	reply(c, MSG_REGISTERED, &r);
	order_lease(c, n);
}

/* Nodes hold some orders only: those it did not list are given again, or ended. */
static void reconcile(struct core *c, struct node *n)
{
	struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		if (t->state != TASK_STARTED || t->accepted || t->element->why)
			continue;
		/* it had started and the spool does not know it: let the node refuse it durably */
		order_kill_task(c, t, ARMADA__END_CAUSE__END_LOST);
	}
	orders_resend(c, n, true);
}

void req_register_node(struct core *c, const void *message)
{
	const Armada__RegisterNode *m = message;
	struct node *n = core_find_node(c, m->name);
	bool rebooted = n && strcmp(n->boot_id, m->boot_id) != 0;
	struct task *t;

	if (!well_formed(c, m) || (n && !may_take_name(c, m, n)))
		return;
	node_emit_set(c, n, m);
	n = core_find_node(c, m->name);
	/* what was ordered now would look like something that the node has forgotten */
	n->registering = true;
	link_node(c, n);
	take_stamp(n, &m->stamp);
	note_reported(c, n, m);
	if (rebooted)
		proof_ends(c, n, PROOF_BOOT, is_lost, m,
			   arena_printf(c->arena, "node %s was restarted", n->name));
	bring_back(c, n);
	if (rebooted)
		node_reboot_done(c, n);
	node_hold_to_promise(c, n);
	node_take_leaving(c, n, m->leaving);
	welcome(c, n);
	LIST_FOREACH (t, &n->tasks, on_node)
		t->accepted = t->ready = t->released = false;
	take_reports(c, n, m->reports, m->n_reports);
	reconcile(c, n);
	n->registering = false;
	promises_fit(c, n);
	c->wants_round = true;
	effect_log(c, 5, "node %s registered from %s with %zu tasks", n->name,
		   c->in->caller->address, m->n_reports);
}

void req_heartbeat(struct core *c, const void *message)
{
	const Armada__Heartbeat *m = message;
	Armada__HeartbeatAck ack = ARMADA__HEARTBEAT_ACK__INIT;
	struct node *n = node_by_conn(c, c->in->conn);

	if (!n)
		return;
	n->heard_us = c->in->steady_us;
	n->seen_us = c->in->wall_us;
	take_stamp(n, &m->stamp);
	ack.number = m->number;
	ack.epoch = c->epoch;
	ack.floor = node_floor(c, n);
	ack.extension_ms = node_extension_ms(c, n);
	reply(c, MSG_HEARTBEAT_ACK, &ack);
	order_lease(c, n);
	node_take_health(c, n, m->health);
	node_reboot_tick(c, n);
	node_take_leaving(c, n, m->leaving);
	orders_resend(c, n, false);
}

void req_reports(struct core *c, const void *message)
{
	const Armada__Reports *m = message;
	struct node *n = node_by_conn(c, c->in->conn);

	if (!n) {
		c->stale += m->n_reports;
		return;
	}
	n->heard_us = c->in->steady_us;
	take_reports(c, n, m->reports, m->n_reports);
}
