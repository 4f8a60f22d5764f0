/*
 * Carries out the effects of a node's link and ledger, in order.
 *
 * Input: lists of effects. Output: messages, attempts, orders to shepherds. armd may be killed
 * before each effect of a ledger: callers compare the node's life to see whether it is still the
 * same armd.
 */
#include "asim/storm/effects.h"
#include "asim/storm/attempt.h"
#include "asim/storm/byzantine.h"
#include "asim/storm/clock.h"
#include "asim/storm/invariant.h"
#include "asim/storm/lease.h"
#include "asim/storm/net.h"

#include <string.h>

/* A node that cannot take an order at present refuses it durably. */
static struct ledger_check check_of(struct storm *s, const struct sim_node *n)
{
	if (n->leaving)
		return (struct ledger_check){.why = "the node is being shut down",
					     .cause = ARMADA__END_CAUSE__END_SHUTDOWN};
	if (storm_fault(s, 200))
		return (struct ledger_check){.why = "the disk of the spool is full"};
	return (struct ledger_check){.allowed = true};
}

void sim_effects_order(struct storm *s, struct sim_node *n, const struct sim_order *x)
{
	struct ledger_effects out = {.arena = s->arena};
	struct ledger_check check = {.allowed = true};
	struct order o;

	if (!order_decode(x->bytes, &o)) {
		storm_violate(s, "an order does not decode");
		return;
	}
	if (!sim_lease_accepts(n, &o))
		return; /* made for an earlier armd of this node */
	if (o.kind == ORDER_LAUNCH)
		check = check_of(s, n);
	n->taking = x->terms;
	ledger_order(n->ledger, &o, &check, &out);
	INVARIANTS(s, on_order, n, &o, &out);
	sim_effects_ledger(s, n, &out);
}

static void take_order(struct storm *s, struct sim_node *n, const struct link_effect *e)
{
	struct sim_order x;
	struct order o;

	memcpy(x.bytes, e->order, ORDER_SIZE);
	if (!order_decode(x.bytes, &o)) {
		storm_violate(s, "an order does not decode");
		return;
	}
	if (sim_byzantine_withholds(s, n, &o, x.bytes))
		return;
	x.terms = sim_order_terms(s, &o, e->body, e->body_len);
	sim_effects_order(s, n, &x);
}

static void take_acks(struct storm *s, struct sim_node *n, const struct link_effect *e)
{
	uint32_t life = n->life;

	for (size_t i = 0; i < e->key_count && n->life == life; i++) {
		struct ledger_effects out = {.arena = s->arena};

		ledger_acked(n->ledger, &e->keys[i], &out);
		sim_effects_ledger(s, n, &out);
	}
}

static void take_controller(struct storm *s, struct sim_node *n, const struct link_effect *e)
{
	struct ledger_effects out = {.arena = s->arena};
	struct link_effects said = {.arena = s->arena};
	struct err err;

	if (ledger_controller(n->ledger, e->cluster_id, &out, &err) < 0) {
		link_controller_refused(n->link, err.text, s->now_us, &said);
		sim_effects_link(s, n, &said);
		return;
	}
	n->wiped = false; /* the controller knows the node again */
	sim_effects_ledger(s, n, &out);
}

static void give_inventory(struct storm *s, struct sim_node *n, uint64_t number)
{
	struct ledger_effects out = {.arena = s->arena};
	struct link_effects said = {.arena = s->arena};
	uint32_t life = n->life;

	sim_lease_stamp(s, n);
	ledger_inventory(n->ledger, &out);
	sim_effects_ledger(s, n, &out);
	if (n->life != life)
		return;
	link_inventory_end(n->link, number, s->now_us, &said);
	sim_effects_link(s, n, &said);
}

static void link_effect_out(struct storm *s, struct sim_node *n, const struct link_effect *e)
{
	struct sim_conn *c = sim_net_of_session(s, n, e->session);

	switch (e->kind) {
	case LINK_DIAL:
		sim_net_dial_ctl(s, n, e->session);
		break;
	case LINK_SEND:
		if (c)
			sim_net_to_ctl(s, c, e->type, e->message);
		break;
	case LINK_CLOSE:
		if (c)
			sim_net_break(s, c);
		break;
	case LINK_INVENTORY:
		give_inventory(s, n, e->number);
		break;
	case LINK_ORDER:
		take_order(s, n, e);
		break;
	case LINK_ACKED:
		take_acks(s, n, e);
		break;
	case LINK_CONTROLLER:
		take_controller(s, n, e);
		break;
	case LINK_LOG:
		storm_trace(s, "%s: %s", n->name, e->text);
		break;
	}
}

void sim_effects_link(struct storm *s, struct sim_node *n, struct link_effects *list)
{
	uint32_t life = n->life;

	for (size_t i = 0; i < list->count && n->life == life; i++)
		link_effect_out(s, n, &list->list[i]);
}

/* The shepherd obeys at once. */
static void take_settings(struct storm *s, struct sim_node *n, const struct ledger_effect *e)
{
	struct ledger_effects out = {.arena = s->arena};

	ledger_settings(n->ledger, &e->key, e->number, &out);
	sim_effects_ledger(s, n, &out);
}

/* number: order_step_number(). Nodes keep no steps, so a new session tells of none. */
static void tell_step(struct storm *s, struct sim_node *n, const struct task_key *key,
		      uint64_t number, bool ended)
{
	const int64_t now_us = SIM_EPOCH_US + s->now_us;
	const struct step_state x = {.step = (uint32_t)(number - 1),
				     .layer = (uint32_t)((number - 1) >> 32),
				     .start_us = now_us,
				     .ended = ended,
				     .end_us = ended ? now_us : 0};

	link_step(n->link, key, &x, s->now_us);
}

/* A step begins, and every second one ends at once. It must matter to nothing but the table of steps. */
static void take_step(struct storm *s, struct sim_node *n, const struct ledger_effect *e)
{
	if (!e->number)
		return;
	tell_step(s, n, &e->key, e->number, false);
	if (e->number % 2 == 0)
		tell_step(s, n, &e->key, e->number, true);
}

/* A step obeys when it is to end. Signals change nothing. */
static void take_signal(struct storm *s, struct sim_node *n, const struct ledger_effect *e)
{
	if (e->grace_ms && !e->cause)
		tell_step(s, n, &e->key, (uint64_t)e->grace_ms, true);
}

static void carry_out(struct storm *s, struct sim_node *n, const struct ledger_effect *e)
{
	struct sim_attempt *a = sim_spool_find(n, &e->key);

	INVARIANTS(s, on_effect, n, e, a);
	switch (e->kind) {
	case LEDGER_WRITE_META:
		n->meta = *ledger_meta(n->ledger);
		n->highest_epoch = n->meta.epoch;
		break;
	case LEDGER_WRITE_ACCEPT:
		sim_spool_add(n, e);
		break;
	case LEDGER_WRITE_END:
		sim_spool_end(n, e);
		break;
	case LEDGER_START:
		if (a && !a->forked)
			sim_attempt_fork(s, n, a);
		break;
	case LEDGER_KILL:
		if (a)
			sim_attempt_kill(s, n, a, e->cause, e->grace_ms);
		break;
	case LEDGER_RELEASE:
		if (a)
			sim_attempt_release(s, n, a);
		break;
	case LEDGER_STEP:
		take_step(s, n, e);
		break;
	case LEDGER_SIGNAL:
		take_signal(s, n, e);
		break;
	case LEDGER_OUTPUT:
		break;
	case LEDGER_SETTINGS:
		take_settings(s, n, e);
		break;
	case LEDGER_FORGET:
		sim_spool_forget(n, &e->key);
		break;
	case LEDGER_REPORT:
		link_report(n->link, e->report);
		break;
	case LEDGER_LEASE:
		sim_lease_renewed(s, n, e);
		break;
	case LEDGER_REBOOT:
		sim_node_reboot(s, n);
		break;
	}
}

void sim_effects_ledger(struct storm *s, struct sim_node *n, struct ledger_effects *list)
{
	uint32_t life = n->life;

	for (size_t i = 0; i < list->count && n->life == life; i++) {
		if (storm_fault(s, 1500)) {
			sim_node_crash(s, n);
			return;
		}
		carry_out(s, n, &list->list[i]);
	}
}
