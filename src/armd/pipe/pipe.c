#include "armd/pipe/pipe.h"

#include "util/mem.h"

#include <assert.h>
#include <string.h>

/* Header: type, 4 zero bytes, number. */
enum { HEADER = 16, KEY_SIZE = 20 };

/* A place in a datagram that latches the first overrun. */
struct cursor {
	uint8_t *out;      /* encoding */
	const uint8_t *in; /* decoding */
	size_t at, len;
	bool bad;
};

static bool room(struct cursor *c, size_t n)
{
	if (!c->bad && n <= c->len - c->at)
		return true;
	c->bad = true;
	return false;
}

static void put(struct cursor *c, const void *data, size_t n)
{
	if (!room(c, n))
		return;
	memcpy(c->out + c->at, data, n);
	c->at += n;
}

static void put_uint(struct cursor *c, uint64_t value, size_t bytes)
{
	uint8_t b[8];

	for (size_t i = 0; i < bytes; i++)
		b[i] = (uint8_t)(value >> (8 * i));
	put(c, b, bytes);
}

static void get(struct cursor *c, void *ret_data, size_t n)
{
	if (!room(c, n)) {
		memset(ret_data, 0, n);
		return;
	}
	memcpy(ret_data, c->in + c->at, n);
	c->at += n;
}

static uint64_t get_uint(struct cursor *c, size_t bytes)
{
	uint64_t value = 0;
	uint8_t b[8];

	get(c, b, bytes);
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)b[i] << (8 * i);
	return value;
}

/* Our own control bytes become spaces: whoever reads the text has a log line in mind. */
static void put_text(struct cursor *c, const char *text, size_t size)
{
	size_t len = strnlen(text, size - 1);

	put_uint(c, len, 4);
	for (size_t i = 0; i < len; i++)
		put_uint(c, (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? ' ' : text[i], 1);
}

static void get_text(struct cursor *c, char *ret_text, size_t size)
{
	size_t len = get_uint(c, 4);

	ret_text[0] = '\0';
	if (len >= size) {
		c->bad = true;
		return;
	}
	get(c, ret_text, len);
	ret_text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)ret_text[i] < 0x20 || ret_text[i] == 0x7f)
			c->bad = true;
}

static void put_order(struct cursor *c, const struct pipe_msg *m)
{
	put(c, m->order.bytes, ORDER_SIZE);
}

static void get_order(struct cursor *c, struct pipe_msg *m)
{
	get(c, m->order.bytes, ORDER_SIZE);
	m->order.body_fd = -1;
}

static void put_acked(struct cursor *c, const struct pipe_msg *m)
{
	put_uint(c, m->acked.count, 4);
	for (uint32_t i = 0; i < m->acked.count; i++) {
		const struct task_key *k = &m->acked.keys[i];

		put_uint(c, k->job, 8);
		put_uint(c, k->element, 4);
		put_uint(c, k->rank, 4);
		put_uint(c, k->attempt, 4);
	}
}

static void get_acked(struct cursor *c, struct pipe_msg *m)
{
	m->acked.count = (uint32_t)get_uint(c, 4);
	if (m->acked.count > PIPE_KEYS || !room(c, (size_t)m->acked.count * KEY_SIZE)) {
		c->bad = true;
		return;
	}
	for (uint32_t i = 0; i < m->acked.count; i++)
		m->acked.keys[i] = (struct task_key){
			.job = get_uint(c, 8),
			.element = (uint32_t)get_uint(c, 4),
			.rank = (uint32_t)get_uint(c, 4),
			.attempt = (uint32_t)get_uint(c, 4),
		};
}

static void put_controller(struct cursor *c, const struct pipe_msg *m)
{
	put(c, m->controller.cluster_id, sizeof(m->controller.cluster_id));
	put_uint(c, m->controller.epoch, 8);
	put_uint(c, m->controller.floor, 8);
	put_text(c, m->controller.credential, sizeof(m->controller.credential));
}

static void get_controller(struct cursor *c, struct pipe_msg *m)
{
	get(c, m->controller.cluster_id, sizeof(m->controller.cluster_id));
	m->controller.epoch = get_uint(c, 8);
	m->controller.floor = get_uint(c, 8);
	get_text(c, m->controller.credential, sizeof(m->controller.credential));
}

static void put_stamp(struct cursor *c, const struct pipe_msg *m)
{
	put(c, m->stamp, sizeof(m->stamp));
}

static void get_stamp(struct cursor *c, struct pipe_msg *m)
{
	get(c, m->stamp, sizeof(m->stamp));
}

static void put_hello(struct cursor *c, const struct pipe_msg *m)
{
	put(c, m->hello.node_id, sizeof(m->hello.node_id));
	put(c, m->hello.spool_id, sizeof(m->hello.spool_id));
	put(c, m->hello.cluster_id, sizeof(m->hello.cluster_id));
	put_uint(c, m->hello.epoch, 8);
	put_uint(c, m->hello.floor, 8);
	put_text(c, m->hello.boot_id, sizeof(m->hello.boot_id));
}

static void get_hello(struct cursor *c, struct pipe_msg *m)
{
	get(c, m->hello.node_id, sizeof(m->hello.node_id));
	get(c, m->hello.spool_id, sizeof(m->hello.spool_id));
	get(c, m->hello.cluster_id, sizeof(m->hello.cluster_id));
	m->hello.epoch = get_uint(c, 8);
	m->hello.floor = get_uint(c, 8);
	get_text(c, m->hello.boot_id, sizeof(m->hello.boot_id));
}

static void put_report(struct cursor *c, const struct pipe_msg *m)
{
	put_uint(c, m->report.len, 4);
	put(c, m->report.packed, m->report.len);
}

static void get_report(struct cursor *c, struct pipe_msg *m)
{
	m->report.len = (uint32_t)get_uint(c, 4);
	if (m->report.len > PIPE_REPORT_MAX) {
		c->bad = true;
		return;
	}
	get(c, m->report.packed, m->report.len);
}

static void put_problem(struct cursor *c, const struct pipe_msg *m)
{
	put_uint(c, m->problem.about, 4);
	put_text(c, m->problem.text, sizeof(m->problem.text));
}

static void get_problem(struct cursor *c, struct pipe_msg *m)
{
	m->problem.about = (enum pipe_about)get_uint(c, 4);
	get_text(c, m->problem.text, sizeof(m->problem.text));
}

static void put_nothing(struct cursor *c, const struct pipe_msg *m)
{
	(void)c;
	(void)m;
}

static void get_nothing(struct cursor *c, struct pipe_msg *m)
{
	(void)c;
	(void)m;
}

static const struct layout {
	enum pipe_type type;
	bool from_launcher;
	void (*put)(struct cursor *c, const struct pipe_msg *m);
	void (*get)(struct cursor *c, struct pipe_msg *m);
} layouts[] = {
	{PIPE_ORDER, false, put_order, get_order},
	{PIPE_ACKED, false, put_acked, get_acked},
	{PIPE_CONTROLLER, false, put_controller, get_controller},
	{PIPE_INVENTORY, false, put_nothing, get_nothing},
	{PIPE_HELLO, true, put_hello, get_hello},
	{PIPE_REPORT, true, put_report, get_report},
	{PIPE_INVENTORY_END, true, put_nothing, get_nothing},
	{PIPE_PROBLEM, true, put_problem, get_problem},
	{PIPE_SHUTDOWN, true, put_nothing, get_nothing},
	{PIPE_STAMP, true, put_stamp, get_stamp},
	{PIPE_HEALTH, true, put_problem, get_problem},
};

static const struct layout *layout_find(uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].type == type)
			return &layouts[i];
	return NULL;
}

size_t pipe_encode(const struct pipe_msg *m, uint8_t ret_bytes[PIPE_DATAGRAM])
{
	const struct layout *l = layout_find(m->type);
	struct cursor c = {.out = ret_bytes, .len = PIPE_DATAGRAM};

	assert(l);
	put_uint(&c, m->type, 4);
	put_uint(&c, 0, 4);
	put_uint(&c, m->number, 8);
	l->put(&c, m);
	assert(!c.bad);
	return c.at;
}

bool pipe_decode(const uint8_t *bytes, size_t len, bool from_launcher, struct pipe_msg *ret_msg)
{
	struct cursor c = {.in = bytes, .len = len};
	const struct layout *l;
	uint64_t type, zero;

	if (len < HEADER || len > PIPE_DATAGRAM)
		return false;
	type = get_uint(&c, 4);
	zero = get_uint(&c, 4);
	l = layout_find(type);
	if (!l || l->from_launcher != from_launcher || zero != 0)
		return false;
	ret_msg->type = l->type;
	ret_msg->number = get_uint(&c, 8);
	l->get(&c, ret_msg);
	return !c.bad && c.at == c.len;
}
