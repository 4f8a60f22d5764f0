/*
 * armd's loop around its link: messages go to the link, and the effects of the link are carried
 * out.
 *
 * Input: events of the node (messages, connections, time). Output: effects of the link and the
 * ledger. An attempt that was accepted but not forked before the last armd was killed is forked at
 * the start.
 */
#include "asim/storm/armd.h"
#include "asim/storm/attempt.h"
#include "asim/storm/clock.h"
#include "asim/storm/effects.h"
#include "asim/storm/health.h"
#include "asim/storm/lease.h"
#include "asim/storm/shutdown.h"

static void load_attempt(struct storm *s, struct sim_node *n, struct sim_attempt *a)
{
	struct ledger_effects out = {.arena = s->arena};
	enum ledger_state state = a->ended      ? LEDGER_ENDED
				  : a->start_us ? LEDGER_STARTED
				  : a->ready    ? LEDGER_READY
						: LEDGER_ACCEPTED;

	ledger_load(n->ledger, &a->key, a->seq, state, a->start_us, a->ended ? &a->end : NULL,
		    a->boot == n->boot, &out);
	sim_effects_ledger(s, n, &out);
	/* accepted, and armd was killed before the fork */
	if (n->up && !a->ended && !a->forked && ledger_find(n->ledger, &a->key) == LEDGER_ACCEPTED)
		sim_attempt_fork(s, n, a);
}

void sim_armd_start(struct storm *s, const struct sim_event *ev)
{
	static const char *const addresses[] = {"ctl"};
	struct sim_node *n = &s->nodes[ev->node];
	struct link_config config = {
		.addresses = addresses,
		.address_count = 1,
		.describe = &n->describe,
		.reconnect_min_us = 100000,
		.reconnect_max_us = 10000000,
		.answer_us = 5000000,
		.seed = storm_random(s, 1 << 30),
	};
	struct link_effects out = {.arena = s->arena};
	uint32_t life = n->life;

	storm_trace(s, "%s: armd starts", n->name);
	n->up = true;
	n->tick_at_us = 0;
	sim_lease_armd_starts(s, n);
	n->ledger = ledger_new(&n->meta);
	n->link = link_new(&config);
	sim_health_send(n);
	for (struct sim_attempt *a = n->spool, *next; a && n->life == life; a = next) {
		next = a->next;
		load_attempt(s, n, a);
	}
	if (n->life != life)
		return;
	link_hello(n->link, ledger_meta(n->ledger), s->now_us, &out);
	sim_effects_link(s, n, &out);
	sim_shutdown_send(s, n);
}

/* Plan the next tick of the link. */
static void plan_tick(struct storm *s, struct sim_node *n)
{
	int64_t due = link_due(n->link), in_us = due > s->now_us ? due - s->now_us : 1;

	if (due == INT64_MAX)
		return;
	if (n->tick_at_us > s->now_us && n->tick_at_us <= s->now_us + in_us)
		return; /* that tick plans the next one */
	n->tick_at_us = s->now_us + in_us;
	storm_plan(s, in_us,
		   (struct sim_event){.kind = SIM_NODE_TICK, .node = n->index, .life = n->life});
}

/* Usage as shepherds report it; it must not matter to anything. */
static void use(struct storm *s, struct sim_node *n)
{
	for (const struct sim_attempt *a = n->spool; a; a = a->next) {
		struct task_usage u = {.cpu_us = SIM_EPOCH_US + s->now_us - a->start_us};

		if (a->alive && a->start_us)
			link_usage(n->link, &a->key, &u);
	}
}

static void tick(struct storm *s, struct sim_node *n, struct link_effects *out)
{
	if (n->tick_at_us <= s->now_us)
		n->tick_at_us = 0;
	use(s, n);
	if (link_due(n->link) <= s->now_us)
		link_tick(n->link, s->now_us, out);
}

static void message(struct storm *s, struct sim_node *n, const struct sim_event *ev,
		    struct link_effects *out)
{
	struct err err;
	const void *m = msg_unpack(msg_find(ev->type), ev->body, ev->len, s->arena, &err);

	if (!m)
		storm_violate(s, "a message does not decode: %s", err.text);
	else
		link_message(n->link, ev->session, ev->type, m, s->now_us, out);
}

void sim_armd_receive(struct storm *s, const struct sim_event *ev)
{
	struct sim_node *n = &s->nodes[ev->node];
	struct link_effects out = {.arena = s->arena};

	if (ev->kind == SIM_NODE_TICK)
		tick(s, n, &out);
	else if (ev->kind == SIM_TO_NODE)
		message(s, n, ev, &out);
	else if (ev->kind == SIM_NODE_CONNECTED)
		link_connected(n->link, ev->session, "10.0.0.2", s->now_us, &out);
	else
		link_closed(n->link, ev->session, "the connection broke", s->now_us, &out);
	sim_effects_link(s, n, &out);
}

/*
 * After each event: reports that arrived together are sent together, and the next tick is planned.
 */
void sim_armd_step(struct storm *s, struct sim_node *n)
{
	struct link_effects out = {.arena = s->arena};

	link_flush(n->link, s->now_us, &out);
	sim_effects_link(s, n, &out);
	if (n->up)
		plan_tick(s, n);
}
