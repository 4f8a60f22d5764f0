/* The effects of a node's link and ledger, carried out. */
#include "asim/storm_parts.h"

#include <string.h>

static struct storm_conn *conn_of(struct storm *s, const struct storm_node *n, uint64_t session)
{
	for (size_t i = 0; i < CONNS; i++) {
		struct storm_conn *c = &s->conns[i];

		if (c->id && c->node == n->index && c->session == session && c->open_node)
			return c;
	}
	return NULL;
}

/* A node that cannot take an order just now refuses it durably. */
static struct ledger_check check_of(struct storm *s, const struct storm_node *n)
{
	if (n->leaving)
		return (struct ledger_check){.why = "the node is being shut down",
					     .cause = ARMADA__END_CAUSE__END_SHUTDOWN};
	if (storm_fault(s, 200))
		return (struct ledger_check){.why = "the disk of the spool is full"};
	return (struct ledger_check){.allowed = true};
}

void node_order(struct storm *s, struct storm_node *n, const struct storm_order *x)
{
	struct ledger_effects out = {.arena = s->arena};
	struct ledger_check check = {.allowed = true};
	struct order o;

	if (!order_decode(x->bytes, &o)) {
		storm_violate(s, "an order does not decode");
		return;
	}
	if (!lease_takes(n, &o))
		return; /* made for an armd that was here before */
	if (o.kind == ORDER_LAUNCH)
		check = check_of(s, n);
	n->taking_gated = x->gated;
	n->taking_stamp_us = stamp_time_us(o.stamp);
	n->taking_lease_us = x->lease_us;
	ledger_order(n->ledger, &o, &check, &out);
	if (o.epoch < n->highest_epoch && out.count)
		storm_violate(s, "an order of epoch %llu has an effect on %s, which saw %llu",
			      (unsigned long long)o.epoch, n->name,
			      (unsigned long long)n->highest_epoch);
	if (o.kind == ORDER_SIGNAL && out.count && out.list[0].kind == LEDGER_SIGNAL)
		signal_once(s, n, &o);
	node_ledger_effects(s, n, &out);
}

static void take_order(struct storm *s, struct storm_node *n, const struct link_effect *e)
{
	struct storm_order x;
	struct order o;

	memcpy(x.bytes, e->order, ORDER_SIZE);
	if (!order_decode(x.bytes, &o)) {
		storm_violate(s, "an order does not decode");
		return;
	}
	if (lease_keeps(s, n, &o, x.bytes))
		return;
	x.gated = gate_of(s, &o, e->body, e->body_len);
	x.lease_us = lease_of(s, &o, e->body, e->body_len);
	node_order(s, n, &x);
}

static void take_acks(struct storm *s, struct storm_node *n, const struct link_effect *e)
{
	uint32_t life = n->life;

	for (size_t i = 0; i < e->key_count && n->life == life; i++) {
		struct ledger_effects out = {.arena = s->arena};

		ledger_acked(n->ledger, &e->keys[i], &out);
		node_ledger_effects(s, n, &out);
	}
}

static void take_controller(struct storm *s, struct storm_node *n, const struct link_effect *e)
{
	struct ledger_effects out = {.arena = s->arena};
	struct link_effects said = {.arena = s->arena};
	struct err err;

	if (ledger_controller(n->ledger, e->cluster_id, e->epoch, e->floor, &out, &err) < 0) {
		link_controller_refused(n->link, err.text, s->now_us, &said);
		node_link_effects(s, n, &said);
		return;
	}
	n->wiped = false; /* known again */
	node_ledger_effects(s, n, &out);
}

static void give_inventory(struct storm *s, struct storm_node *n, uint64_t number)
{
	struct ledger_effects out = {.arena = s->arena};
	struct link_effects said = {.arena = s->arena};
	uint32_t life = n->life;

	lease_stamp(s, n);
	ledger_inventory(n->ledger, &out);
	node_ledger_effects(s, n, &out);
	if (n->life != life)
		return;
	link_inventory_end(n->link, number, s->now_us, &said);
	node_link_effects(s, n, &said);
}

void node_link_effect(struct storm *s, struct storm_node *n, const struct link_effect *e)
{
	struct storm_conn *c = conn_of(s, n, e->session);

	switch (e->kind) {
	case LINK_DIAL:
		net_dial_ctl(s, n, e->session);
		break;
	case LINK_SEND:
		if (c)
			net_to_ctl(s, c, e->type, e->message);
		break;
	case LINK_CLOSE:
		if (c)
			net_break(s, c);
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

void node_link_effects(struct storm *s, struct storm_node *n, struct link_effects *list)
{
	uint32_t life = n->life;

	for (size_t i = 0; i < list->count && n->life == life; i++)
		node_link_effect(s, n, &list->list[i]);
}

static void write_accept(struct storm_node *n, const struct ledger_effect *e)
{
	struct storm_attempt *a = xcalloc(1, sizeof(*a));

	a->key = e->key;
	a->seq = e->seq;
	a->boot = n->boot;
	a->has_order = true;
	a->gated = n->taking_gated;
	a->stamp_us = n->taking_stamp_us;
	a->lease_us = n->taking_lease_us;
	a->next = n->spool;
	n->spool = a;
}

static void write_end(struct storm_node *n, const struct ledger_effect *e)
{
	struct storm_attempt *a = attempt_find(n, &e->key);

	if (!a) {
		write_accept(n, e);
		a = n->spool;
		a->has_order = false;
	}
	a->ended = true;
	free(a->end.text);
	a->end = *e->report->end;
	a->end.usage = NULL;
	a->end.text = xstrdup(a->end.text);
	a->end.node_problem = (char *)""; /* it did not run */
}

static void forget(struct storm_node *n, const struct task_key *key)
{
	struct storm_attempt **at = &n->spool;

	while (*at && !task_key_equal(&(*at)->key, key))
		at = &(*at)->next;
	if (*at) {
		struct storm_attempt *a = *at;

		*at = a->next;
		free(a->end.text);
		free(a);
	}
}

static void carry_out(struct storm *s, struct storm_node *n, const struct ledger_effect *e)
{
	struct storm_attempt *a = attempt_find(n, &e->key);

	switch (e->kind) {
	case LEDGER_WRITE_META:
		n->meta = *ledger_meta(n->ledger);
		n->highest_epoch = n->meta.epoch;
		break;
	case LEDGER_WRITE_ACCEPT:
		if (n->leaving)
			storm_violate(s, "%s takes a task, and its machine is being shut down",
				      n->name);
		write_accept(n, e);
		break;
	case LEDGER_WRITE_END:
		write_end(n, e);
		break;
	case LEDGER_START:
		if (!a)
			storm_violate(s, "a task is started that the spool does not know");
		else if (!a->forked)
			attempt_fork(s, n, a);
		break;
	case LEDGER_KILL:
		if (a)
			attempt_kill(s, n, a, e->cause, e->grace_ms);
		break;
	case LEDGER_RELEASE:
		if (a)
			attempt_release(s, n, a);
		break;
	case LEDGER_STEP:
		s->count.steps++;
		signal_check(s, n, a, "step");
		break;
	case LEDGER_SIGNAL:
		signal_check(s, n, a, "signal");
		break;
	case LEDGER_FORGET:
		forget(n, &e->key);
		break;
	case LEDGER_REPORT:
		link_report(n->link, e->report);
		break;
	case LEDGER_LEASE:
		lease_renewed(s, n, e);
		break;
	case LEDGER_REBOOT:
		node_reboot(s, n);
		break;
	}
}

void node_ledger_effects(struct storm *s, struct storm_node *n, struct ledger_effects *list)
{
	uint32_t life = n->life;

	for (size_t i = 0; i < list->count && n->life == life; i++) {
		if (storm_fault(s, 1500)) {
			node_crash(s, n);
			return;
		}
		carry_out(s, n, &list->list[i]);
	}
}
