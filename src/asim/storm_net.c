/* Connections that lose, delay, double and reorder. */
#include "asim/storm_parts.h"

#include <string.h>

struct storm_conn *conn_find(struct storm *s, uint64_t id)
{
	for (size_t i = 0; id && i < CONNS; i++)
		if (s->conns[i].id == id)
			return &s->conns[i];
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

static struct storm_conn *conn_new(struct storm *s)
{
	for (size_t i = 0; i < CONNS; i++)
		if (!s->conns[i].id) {
			s->conns[i] = (struct storm_conn){.id = ++s->next_conn, .node = -1};
			return &s->conns[i];
		}
	return NULL;
}

void net_dial_ctl(struct storm *s, struct storm_node *n, uint64_t session)
{
	struct happening h = {
		.at_us = s->now_us + delay(s),
		.node = n->index,
		.life = n->life,
		.session = session,
		.kind = HAPPEN_NODE_CLOSED,
	};
	struct storm_conn *c = NULL;
	bool cut = n->cut_until_us > s->now_us;

	if (s->ctl.up && !cut && !storm_fault(s, 10))
		c = conn_new(s);

	if (c) {
		c->node = n->index;
		c->session = session;
		c->open_ctl = c->open_node = true;
		h.kind = HAPPEN_NODE_CONNECTED;
	}
	happenings_put(&s->queue, &h);
}

static void put_twice(struct storm *s, struct happening *h)
{
	struct happening again;

	if (lease_is_cut(s, &s->nodes[h->node], &h->at_us)) {
		s->count.lost++;
		free(h->body);
		return;
	}
	again = *h;

	if (storm_fault(s, 12)) {
		s->count.lost++;
		free(h->body);
		return;
	}
	if (storm_fault(s, 12)) {
		s->count.doubled++;
		again.body = xmemdup(h->body, h->len);
		again.at_us += delay(s);
		happenings_put(&s->queue, &again);
	}
	happenings_put(&s->queue, h);
}

void net_to_ctl(struct storm *s, struct storm_conn *c, enum msg_type type, const void *message)
{
	struct happening h = {
		.at_us = s->now_us + delay(s),
		.kind = HAPPEN_TO_CTL,
		.life = s->ctl.life,
		.conn = c->id,
		.type = type,
		.node = c->node,
	};
	struct buf packed = {0};

	msg_pack(message, &packed);
	h.body = buf_take(&packed, &h.len);
	if (!h.body)
		h.body = xmalloc(1);
	put_twice(s, &h);
}

void net_to_node(struct storm *s, struct storm_conn *c, enum msg_type type, const uint8_t *body,
		 size_t len)
{
	struct happening h = {
		.at_us = s->now_us + delay(s),
		.kind = HAPPEN_TO_NODE,
		.life = s->nodes[c->node].life,
		.node = c->node,
		.session = c->session,
		.type = type,
		.body = xmemdup(body, len),
		.len = len,
	};

	put_twice(s, &h);
}

/* Both ends learn of it, each in its own time; neither hears of the other again. */
void net_break(struct storm *s, struct storm_conn *c)
{
	struct happening h = {.node = c->node, .session = c->session, .conn = c->id};

	if (c->open_ctl) {
		h.kind = HAPPEN_CTL_CLOSED;
		h.at_us = s->now_us + delay(s);
		(void)lease_is_cut(s, &s->nodes[c->node], &h.at_us);
		h.life = s->ctl.life;
		happenings_put(&s->queue, &h);
	}
	if (c->open_node) {
		h.kind = HAPPEN_NODE_CLOSED;
		h.at_us = s->now_us + delay(s);
		h.life = s->nodes[c->node].life;
		happenings_put(&s->queue, &h);
	}
	c->open_node = false;
}

void net_close_all(struct storm *s)
{
	for (size_t i = 0; i < CONNS; i++) {
		struct storm_conn *c = &s->conns[i];

		if (!c->id)
			continue;
		c->open_ctl = false;
		if (c->node >= 0)
			net_break(s, c);
		c->id = 0;
	}
}
