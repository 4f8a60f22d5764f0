/* What armd does around its ledger and link: spool, start, kill, restart. */
#include "asim/storm_parts.h"

#include <stdio.h>
#include <string.h>

void node_init(struct storm *s, int index)
{
	struct storm_node *n = &s->nodes[index];

	n->index = index;
	n->cpus = 2 + 2 * index;
	lease_init(s, n);
	n->boot = 1;
	snprintf(n->name, sizeof(n->name), "n%d", index);
	memset(n->meta.node_id, 'a' + index, sizeof(n->meta.node_id));
	memset(n->meta.spool_id, 'A' + index, sizeof(n->meta.spool_id));
	snprintf(n->meta.boot_id, sizeof(n->meta.boot_id), "boot-%d", n->boot);
	armada__register_node__init(&n->describe);
	for (int i = 0; i < 2; i++) {
		armada__resource__init(&n->resources[i]);
		n->resource_list[i] = &n->resources[i];
	}
	n->resources[0].name = (char *)"cpu";
	n->resources[0].amount = n->cpus * 1000;
	n->resources[1].name = (char *)"memory";
	n->resources[1].amount = INT64_C(64) << 30;
	n->describe.name = n->name;
	n->describe.can_reboot = true;
	n->describe.release = (char *)"storm";
	n->describe.resources = n->resource_list;
	n->describe.n_resources = 2;
}

static const Armada__TaskEnd *end_of(const struct storm_attempt *a)
{
	return a->ended ? &a->end : NULL;
}

static void load_attempt(struct storm *s, struct storm_node *n, struct storm_attempt *a)
{
	struct ledger_effects out = {.arena = s->arena};
	enum ledger_state state = a->ended      ? LEDGER_ENDED
				  : a->start_us ? LEDGER_STARTED
				  : a->ready    ? LEDGER_READY
						: LEDGER_ACCEPTED;

	ledger_load(n->ledger, &a->key, a->seq, state, a->start_us, end_of(a), a->boot == n->boot,
		    &out);
	node_ledger_effects(s, n, &out);
	/* accepted, and armd died before it could fork */
	if (n->up && !a->ended && !a->forked && ledger_find(n->ledger, &a->key) == LEDGER_ACCEPTED)
		attempt_fork(s, n, a);
}

void node_start(struct storm *s, struct storm_node *n)
{
	static const char *const addresses[] = {"ctl"};
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
	lease_armd_starts(s, n);
	n->ledger = ledger_new(&n->meta);
	n->link = link_new(&config);
	node_say_health(n);
	for (struct storm_attempt *a = n->spool, *next; a && n->life == life; a = next) {
		next = a->next;
		load_attempt(s, n, a);
	}
	if (n->life != life)
		return;
	link_hello(n->link, ledger_meta(n->ledger), s->now_us, &out);
	node_link_effects(s, n, &out);
	node_say_leaving(s, n);
}

static void stop(struct storm *s, struct storm_node *n)
{
	n->up = false;
	n->life++;
	ledger_free(n->ledger);
	link_free(n->link);
	n->ledger = NULL;
	n->link = NULL;
	for (size_t i = 0; i < CONNS; i++)
		if (s->conns[i].id && s->conns[i].node == n->index && s->conns[i].open_node)
			net_break(s, &s->conns[i]);
}

static void start_later(struct storm *s, struct storm_node *n, int64_t most_us)
{
	struct happening h = {.kind = HAPPEN_NODE_START, .node = n->index, .life = n->life};

	h.at_us = s->now_us + 50000 + storm_random(s, most_us);
	happenings_put(&s->queue, &h);
}

void node_crash(struct storm *s, struct storm_node *n)
{
	if (!n->up)
		return;
	s->count.armd_crashes++;
	storm_trace(s, "%s: armd is killed", n->name);
	stop(s, n);
	start_later(s, n, 60000000);
}

void node_reboot(struct storm *s, struct storm_node *n)
{
	bool was_up = n->up;

	s->count.reboots++;
	storm_trace(s, "%s: the machine restarts", n->name);
	if (was_up)
		stop(s, n);
	n->leaving = false;
	lease_boots(s, n);
	n->boot++;
	snprintf(n->meta.boot_id, sizeof(n->meta.boot_id), "boot-%d", n->boot);
	for (struct storm_attempt *a = n->spool; a; a = a->next) {
		if (a->alive && a->start_us && !a->ended)
			journal_end(s, &a->key);
		a->alive = false;
	}
	if (was_up)
		start_later(s, n, 200000000);
}

/* The link wants a tick at a time of its own. */
static void plan_tick(struct storm *s, struct storm_node *n)
{
	struct happening h = {.kind = HAPPEN_NODE_TICK, .node = n->index, .life = n->life};
	int64_t due = link_due(n->link);

	if (due == INT64_MAX)
		return;
	h.at_us = due > s->now_us ? due : s->now_us + 1;
	if (n->tick_at_us > s->now_us && n->tick_at_us <= h.at_us)
		return; /* that tick will look again */
	n->tick_at_us = h.at_us;
	happenings_put(&s->queue, &h);
}

void node_tick(struct storm *s, struct storm_node *n)
{
	struct link_effects out = {.arena = s->arena};

	if (n->tick_at_us <= s->now_us)
		n->tick_at_us = 0;
	if (link_due(n->link) > s->now_us)
		return;
	link_tick(n->link, s->now_us, &out);
	node_link_effects(s, n, &out);
}

void node_message(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];
	struct link_effects out = {.arena = s->arena};
	struct err err;
	const void *m = msg_unpack(msg_find(h->type), h->body, h->len, s->arena, &err);

	if (!m) {
		storm_violate(s, "a message does not decode: %s", err.text);
		return;
	}
	link_message(n->link, h->session, h->type, m, s->now_us, &out);
	node_link_effects(s, n, &out);
}

void node_connected(struct storm *s, struct storm_node *n, uint64_t session)
{
	struct link_effects out = {.arena = s->arena};

	link_connected(n->link, session, "10.0.0.2", s->now_us, &out);
	node_link_effects(s, n, &out);
}

void node_closed(struct storm *s, struct storm_node *n, uint64_t session)
{
	struct link_effects out = {.arena = s->arena};

	link_closed(n->link, session, "the connection broke", s->now_us, &out);
	node_link_effects(s, n, &out);
}

/* After every turn: reports that came together leave together, and the next tick is planned. */
void node_turn(struct storm *s, struct storm_node *n)
{
	struct link_effects out = {.arena = s->arena};

	link_flush(n->link, s->now_us, &out);
	for (size_t i = 0; i < out.count && n->up; i++)
		node_link_effect(s, n, &out.list[i]);
	if (n->up)
		plan_tick(s, n);
}

/* A network process in foul hands shows the launcher orders it saw before (their signature holds). */
void node_replay_captured(struct storm *s, struct storm_node *n)
{
	const struct storm_order *x;

	if (!n->up || !s->captured_count)
		return;
	x = &s->captured[storm_random(s, s->captured_count)];
	if (n->kept && n->foul_until_us <= s->now_us) {
		x = &s->captured[n->kept - 1];
		n->kept = 0;
	}
	node_order(s, n, x);
}

void node_free(struct storm *s, struct storm_node *n)
{
	if (n->up)
		stop(s, n);
	while (n->spool) {
		struct storm_attempt *a = n->spool;

		n->spool = a->next;
		free(a->end.text);
		free(a);
	}
}
