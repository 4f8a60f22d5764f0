/*
 * Encodes and decodes the messages of the pipe (pipe.h). Input and output: struct pipe_msg and the
 * bytes of a datagram. One function for each part of a message does both directions (the cursor has
 * the direction), so each layout is written once. The decoder accepts only exact messages: right
 * type for the sender, no trailing bytes, no control characters in texts.
 */
#include "armd/pipe/pipe.h"

#include "util/le.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

/* Header: type, 4 zero bytes, number. */
enum { HEADER = 16, KEY_SIZE = 20 };

/* A position in a datagram, which records the first overrun. */
struct cursor {
	uint8_t *out;      /* encoding; NULL: decoding */
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

/*
 * The following functions encode or decode a part of a message; the cursor has the direction. Encoding does
 * not change the message.
 */
static void move(struct cursor *c, void *data, size_t n)
{
	bool fits = room(c, n);

	if (fits && c->out)
		memcpy(c->out + c->at, data, n);
	else if (fits)
		memcpy(data, c->in + c->at, n);
	else if (!c->out)
		memset(data, 0, n);
	c->at += fits ? n : 0;
}

/* Encodes value, or returns the decoded number. */
static uint64_t move_uint(struct cursor *c, uint64_t value, size_t bytes)
{
	uint8_t b[8];

	le_put(b, value, bytes);
	move(c, b, bytes);
	return le_get(b, bytes);
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Control bytes become spaces, because the text ends up in a log line. */
static void put_text(struct cursor *c, const char *text, size_t size)
{
	size_t len = move_uint(c, strnlen(text, size - 1), 4);

	for (size_t i = 0; i < len; i++)
		move_uint(c, is_control(text[i]) ? ' ' : text[i], 1);
}

static void get_text(struct cursor *c, char *ret_text, size_t size)
{
	size_t len = move_uint(c, 0, 4);

	ret_text[0] = '\0';
	if (len >= size) {
		c->bad = true;
		return;
	}
	move(c, ret_text, len);
	ret_text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		c->bad |= is_control(ret_text[i]);
}

static void move_text(struct cursor *c, char *text, size_t size)
{
	if (c->out)
		put_text(c, text, size);
	else
		get_text(c, text, size);
}

/* The count of the following elements of n bytes each; 0 when there are too many. */
static uint32_t move_count(struct cursor *c, uint32_t count, uint32_t most, size_t n)
{
	count = (uint32_t)move_uint(c, count, 4);
	if (count <= most && room(c, (size_t)count * n))
		return count;
	c->bad = true;
	return 0;
}

static void move_order(struct cursor *c, struct pipe_msg *m)
{
	move(c, m->order.bytes, ORDER_SIZE);
}

static void move_key(struct cursor *c, struct task_key *k)
{
	k->job = move_uint(c, k->job, 8);
	k->element = (uint32_t)move_uint(c, k->element, 4);
	k->rank = (uint32_t)move_uint(c, k->rank, 4);
	k->attempt = (uint32_t)move_uint(c, k->attempt, 4);
}

static void move_acked(struct cursor *c, struct pipe_msg *m)
{
	m->acked.count = move_count(c, m->acked.count, PIPE_KEYS, KEY_SIZE);
	for (uint32_t i = 0; i < m->acked.count; i++)
		move_key(c, &m->acked.keys[i]);
}

static void move_controller(struct cursor *c, struct pipe_msg *m)
{
	move(c, m->controller.cluster_id, sizeof(m->controller.cluster_id));
	move_text(c, m->controller.credential, sizeof(m->controller.credential));
}

static void move_stamp(struct cursor *c, struct pipe_msg *m)
{
	move(c, m->stamp, sizeof(m->stamp));
}

static void move_hello(struct cursor *c, struct pipe_msg *m)
{
	move(c, m->hello.node_id, sizeof(m->hello.node_id));
	move(c, m->hello.spool_id, sizeof(m->hello.spool_id));
	move(c, m->hello.cluster_id, sizeof(m->hello.cluster_id));
	m->hello.epoch = move_uint(c, m->hello.epoch, 8);
	m->hello.floor = move_uint(c, m->hello.floor, 8);
	move_text(c, m->hello.boot_id, sizeof(m->hello.boot_id));
}

static void move_report(struct cursor *c, struct pipe_msg *m)
{
	m->report.len = move_count(c, m->report.len, PIPE_REPORT_MAX, 1);
	move(c, m->report.packed, m->report.len);
}

static void move_problem(struct cursor *c, struct pipe_msg *m)
{
	m->problem.about = (enum pipe_about)move_uint(c, m->problem.about, 4);
	move_text(c, m->problem.text, sizeof(m->problem.text));
}

static void move_figure(struct cursor *c, int64_t *n)
{
	*n = (int64_t)move_uint(c, (uint64_t)*n, 8);
}

static void move_figures(struct cursor *c, struct task_usage *u)
{
	move_figure(c, &u->cpu_us);
	move_figure(c, &u->max_rss_bytes);
	move_figure(c, &u->group_peak_bytes);
	move_figure(c, &u->read_bytes);
	move_figure(c, &u->written_bytes);
	move_figure(c, &u->user_us);
	move_figure(c, &u->system_us);
}

static void move_usage(struct cursor *c, struct pipe_msg *m)
{
	move_key(c, &m->usage.key);
	move_figures(c, &m->usage.used);
}

static void move_step(struct cursor *c, struct pipe_msg *m)
{
	struct step_state *s = &m->step.state;

	move_key(c, &m->step.key);
	s->step = (uint32_t)move_uint(c, s->step, 4);
	s->layer = (uint32_t)move_uint(c, s->layer, 4);
	s->ended = move_uint(c, c->out && s->ended, 4) != 0;
	s->exit_code = (int32_t)move_uint(c, (uint32_t)s->exit_code, 4);
	s->exit_signal = (int32_t)move_uint(c, (uint32_t)s->exit_signal, 4);
	move_figure(c, &s->start_us);
	move_figure(c, &s->end_us);
	move_figures(c, &s->usage);
}

static void move_nothing(struct cursor *c, struct pipe_msg *m)
{
	(void)c, (void)m;
}

static const struct layout {
	enum pipe_type type;
	bool from_launcher;
	void (*move)(struct cursor *c, struct pipe_msg *m);
} layouts[] = {
	{PIPE_ORDER, false, move_order},
	{PIPE_ACKED, false, move_acked},
	{PIPE_CONTROLLER, false, move_controller},
	{PIPE_INVENTORY, false, move_nothing},
	{PIPE_HELLO, true, move_hello},
	{PIPE_REPORT, true, move_report},
	{PIPE_INVENTORY_END, true, move_nothing},
	{PIPE_PROBLEM, true, move_problem},
	{PIPE_SHUTDOWN, true, move_nothing},
	{PIPE_STAMP, true, move_stamp},
	{PIPE_HEALTH, true, move_problem},
	{PIPE_CPUS, true, move_problem},
	{PIPE_USAGE, true, move_usage},
	{PIPE_STEP, true, move_step},
	{PIPE_OUTPUT, true, move_nothing},
};

static const struct layout *layout_find(uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].type == type)
			return &layouts[i];
	return NULL;
}

int *pipe_body_fd(struct pipe_msg *m)
{
	return m->type == PIPE_ORDER    ? &m->order.body_fd
	       : m->type == PIPE_OUTPUT ? &m->output.body_fd
					: NULL;
}

size_t pipe_encode(const struct pipe_msg *m, uint8_t ret_bytes[PIPE_DATAGRAM])
{
	const struct layout *l = layout_find(m->type);
	struct cursor c = {.out = ret_bytes, .len = PIPE_DATAGRAM};

	assert(l);
	move_uint(&c, m->type, 4);
	move_uint(&c, 0, 4);
	move_uint(&c, m->number, 8);
	l->move(&c, (struct pipe_msg *)(uintptr_t)m);
	assert(!c.bad);
	return c.at;
}

bool pipe_decode(const uint8_t *bytes, size_t len, bool from_launcher, struct pipe_msg *ret_msg)
{
	struct cursor c = {.in = bytes, .len = len};
	const struct layout *l;
	uint64_t type, zero;
	int *body_fd;

	if (len < HEADER || len > PIPE_DATAGRAM)
		return false;
	type = move_uint(&c, 0, 4);
	zero = move_uint(&c, 0, 4);
	l = layout_find(type);
	if (!l || l->from_launcher != from_launcher || zero != 0)
		return false;
	ret_msg->type = l->type;
	ret_msg->number = move_uint(&c, 0, 8);
	l->move(&c, ret_msg);
	body_fd = pipe_body_fd(ret_msg);
	if (body_fd)
		*body_fd = -1;
	return !c.bad && c.at == c.len;
}
