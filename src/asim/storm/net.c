/*
 * Connections between nodes and the controller.
 *
 * Messages have random delays, so they overtake one another. Some are lost or arrive twice. While a
 * node is cut off, no message passes; messages on their way are lost or arrive afterwards. Messages
 * of clients do not use this network.
 */
#include "asim/storm/net.h"
#include "asim/storm/ctl.h"
#include "asim/storm/node.h"

struct sim_conn *sim_net_find(struct storm *s, uint64_t id)
{
	for (size_t i = 0; id && i < SIM_CONNS; i++)
		if (s->net->conns[i].id == id)
			return &s->net->conns[i];
	return NULL;
}

struct sim_conn *sim_net_of_session(struct storm *s, const struct sim_node *n, uint64_t session)
{
	for (size_t i = 0; i < SIM_CONNS; i++) {
		struct sim_conn *c = &s->net->conns[i];

		if (c->id && c->node == n->index && c->session == session && c->open_node)
			return c;
	}
	return NULL;
}

static int64_t delay(struct storm *s)
{
	int64_t us = 200 + storm_random(s, 2000);

	if (storm_fault(s, 20))
		us += storm_random(s, 3000000);
	if (storm_fault(s, 400))
		us += storm_random(s, 90000000);
	return us;
}

static struct sim_conn *conn_new(struct storm *s)
{
	for (size_t i = 0; i < SIM_CONNS; i++)
		if (!s->net->conns[i].id) {
			s->net->conns[i] = (struct sim_conn){.id = ++s->net->last_id, .node = -1};
			return &s->net->conns[i];
		}
	return NULL;
}

void sim_net_dial_ctl(struct storm *s, struct sim_node *n, uint64_t session)
{
	struct sim_event ev = {
		.at_us = s->now_us + delay(s),
		.node = n->index,
		.life = n->life,
		.session = session,
		.kind = SIM_NODE_CLOSED,
	};
	struct sim_conn *c = NULL;
	bool cut = n->cut_until_us > s->now_us;

	if (s->ctl->up && !cut && !storm_fault(s, 10))
		c = conn_new(s);

	if (c) {
		c->node = n->index;
		c->session = session;
		c->open_ctl = c->open_node = true;
		ev.kind = SIM_NODE_CONNECTED;
	}
	sim_event_put(&s->events, &ev);
}

void sim_net_cut(struct storm *s, struct sim_node *n)
{
	n->cut_until_us =
		s->now_us + (int64_t)storm_random(s, storm_random(s, 2) ? 60000000 : 400000000);
	s->count.cuts++;
	storm_trace(s, "%s: is cut off for %.0f s", n->name, (n->cut_until_us - s->now_us) / 1e6);
}

/* A message on its way is lost, or arrives when the cut ends; the connection itself stays open. */
static bool is_cut(struct storm *s, const struct sim_node *n, int64_t *at_us)
{
	if (n->cut_until_us <= s->now_us)
		return false;
	if (*at_us < n->cut_until_us)
		*at_us = n->cut_until_us + (int64_t)storm_random(s, 1000000);
	return storm_random(s, 3) == 0;
}

static void put_twice(struct storm *s, struct sim_event *ev)
{
	struct sim_event again;

	if (is_cut(s, &s->nodes[ev->node], &ev->at_us)) {
		s->count.lost++;
		free(ev->body);
		return;
	}
	again = *ev;

	if (storm_fault(s, 12)) {
		s->count.lost++;
		free(ev->body);
		return;
	}
	if (storm_fault(s, 12)) {
		s->count.doubled++;
		again.body = xmemdup(ev->body, ev->len);
		again.at_us += delay(s);
		sim_event_put(&s->events, &again);
	}
	sim_event_put(&s->events, ev);
}

void sim_net_to_ctl(struct storm *s, struct sim_conn *c, enum msg_type type, const void *message)
{
	struct sim_event ev = {
		.at_us = s->now_us + delay(s),
		.kind = SIM_TO_CTL,
		.life = s->ctl->life,
		.conn = c->id,
		.type = type,
		.node = c->node,
	};
	struct buf packed = {0};

	msg_pack(message, &packed);
	ev.body = buf_take(&packed, &ev.len);
	if (!ev.body)
		ev.body = xmalloc(1);
	put_twice(s, &ev);
}

void sim_net_to_node(struct storm *s, struct sim_conn *c, enum msg_type type, const uint8_t *body,
		     size_t len)
{
	struct sim_event ev = {
		.at_us = s->now_us + delay(s),
		.kind = SIM_TO_NODE,
		.life = s->nodes[c->node].life,
		.node = c->node,
		.session = c->session,
		.type = type,
		.body = xmemdup(body, len),
		.len = len,
	};

	put_twice(s, &ev);
}

/*
 * Each end learns of it at a time of its own. Neither receives anything from the other afterwards.
 */
void sim_net_break(struct storm *s, struct sim_conn *c)
{
	struct sim_event ev = {.node = c->node, .session = c->session, .conn = c->id};

	if (c->open_ctl) {
		ev.kind = SIM_CTL_CLOSED;
		ev.at_us = s->now_us + delay(s);
		(void)is_cut(s, &s->nodes[c->node], &ev.at_us);
		ev.life = s->ctl->life;
		sim_event_put(&s->events, &ev);
	}
	if (c->open_node) {
		ev.kind = SIM_NODE_CLOSED;
		ev.at_us = s->now_us + delay(s);
		ev.life = s->nodes[c->node].life;
		sim_event_put(&s->events, &ev);
	}
	c->open_node = false;
}

void sim_net_close_all(struct storm *s)
{
	for (size_t i = 0; i < SIM_CONNS; i++) {
		struct sim_conn *c = &s->net->conns[i];

		if (!c->id)
			continue;
		c->open_ctl = false;
		if (c->node >= 0)
			sim_net_break(s, c);
		c->id = 0;
	}
}
