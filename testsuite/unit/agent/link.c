/*
 * The link of a node between controller and launcher: tables of inputs and their expected outputs.
 */
#include "agent/link.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/log.h"
#include "util/mem.h"

#include <string.h>

enum in {
	TICK,      /* arg: ms; 0: when it is due */
	HELLO,     /* arg: epoch seen */
	CONNECTED, /* arg: session */
	CLOSED,
	LISTED,     /* arg: number of the inventory */
	REGISTERED, /* arg: epoch */
	BEATEN,     /* arg: the acknowledged number */
	OLD_EPOCH,  /* as BEATEN, with an old epoch */
	ORDER,      /* arg: size */
	ERROR,
	REFUSED,
	ACCEPTED, /* arg: rank; reports of the launcher */
	STARTED,
	ENDED,
	ACK_STARTED, /* arg: rank; acknowledgements of the controller */
	ACK_ENDED,
	FLUSH,
	NO_USAGE,  /* as REGISTERED, by a controller that takes no usage and no steps */
	USED_CPU,  /* arg: seconds; of task 1 */
	USED_2,    /* arg: seconds; of task 2 */
	USED_RSS,  /* arg: bytes; of task 1 */
	OUTPUT,    /* arg: number; what an order has read */
	STEP_RUNS, /* arg: number of the step; of task 1 */
	STEP_ENDS,
};

struct row {
	enum in in;
	long arg;
	const char *out;
	uint64_t session; /* 0: the current one */
};

struct scene {
	struct link *l;
	struct link_effects e;
	int64_t now_us;
	uint64_t session;
	struct buf words;
	struct task_usage used;
};

static const uint8_t cluster[16] = {3};
static const char *const addresses[] = {"one:1", "two:2"};

static void describe_message(struct buf *b, const struct link_effect *x)
{
	const Armada__RegisterNode *r = x->message;
	const Armada__Reports *p = x->message;
	const Armada__Heartbeat *h = x->message;
	const Armada__UsageReport *u = x->message;
	const Armada__OutputRead *o = x->message;
	const Armada__StepReports *s = x->message;

	if (x->type == MSG_REGISTER_NODE)
		buf_addf(b, "REGISTER(%s,%llu,%zu)", r->address, (unsigned long long)r->epoch,
			 r->n_reports);
	else if (x->type == MSG_HEARTBEAT)
		buf_addf(b, "BEAT(%llu,%u)", (unsigned long long)h->number, h->tasks);
	else if (x->type == MSG_OUTPUT_READ)
		buf_addf(b, "OUTPUT(%llu)", (unsigned long long)o->number);
	else if (x->type == MSG_STEP_REPORTS) {
		buf_addstr(b, "STEPS(");
		for (size_t i = 0; i < s->n_steps; i++)
			buf_addf(b, "%s%u.%u%s", i ? " " : "", s->steps[i]->key->rank,
				 s->steps[i]->step, s->steps[i]->ended ? ":end" : "");
		buf_addc(b, ')');
	} else if (x->type == MSG_USAGE) {
		buf_addstr(b, "USAGE(");
		for (size_t i = 0; i < u->n_tasks; i++)
			buf_addf(b, "%s%u:%lld,%lld", i ? " " : "", u->tasks[i]->key->rank,
				 (long long)u->tasks[i]->usage->cpu_us / 1000000,
				 (long long)u->tasks[i]->usage->max_rss_bytes);
		buf_addc(b, ')');
	} else if (x->type == MSG_REPORTS) {
		buf_addstr(b, "REPORTS(");
		for (size_t i = 0; i < p->n_reports; i++)
			buf_addf(b, "%s%u:%d", i ? " " : "", p->reports[i]->key->rank,
				 (int)p->reports[i]->kind);
		buf_addc(b, ')');
	}
}

static const char *words(struct scene *s)
{
	buf_clear(&s->words);
	buf_addstr(&s->words, "");
	for (size_t i = 0; i < s->e.count; i++) {
		const struct link_effect *x = &s->e.list[i];
		struct buf *b = &s->words;

		if (x->kind == LINK_LOG)
			continue;
		if (b->len)
			buf_addc(b, ' ');
		if (x->kind == LINK_DIAL)
			buf_addf(b, "DIAL(%zu)", x->address);
		else if (x->kind == LINK_SEND)
			describe_message(b, x);
		else if (x->kind == LINK_CLOSE)
			buf_addstr(b, "CLOSE");
		else if (x->kind == LINK_INVENTORY)
			buf_addf(b, "LIST(%llu)", (unsigned long long)x->number);
		else if (x->kind == LINK_ORDER)
			buf_addf(b, "ORDER(%zu)", x->body_len);
		else if (x->kind == LINK_ACKED)
			buf_addf(b, "ACKED(%zu,%u)", x->key_count, x->keys[0].rank);
		else if (x->kind == LINK_CONTROLLER)
			buf_addf(b, "CONTROLLER(%s)", x->credential);
	}
	return s->words.data ? (const char *)s->words.data : "";
}

static void controller(struct scene *s, const struct row *r, uint64_t session)
{
	Armada__Registered reg = ARMADA__REGISTERED__INIT;
	Armada__HeartbeatAck ack = ARMADA__HEARTBEAT_ACK__INIT;
	Armada__Order order = ARMADA__ORDER__INIT;
	Armada__ErrorReply error = ARMADA__ERROR_REPLY__INIT;
	uint8_t bytes[300] = {0};

	reg.cluster_id = (ProtobufCBinaryData){16, (uint8_t *)cluster};
	reg.epoch = (uint64_t)r->arg;
	reg.heartbeat_ms = 1000;
	reg.lease_ms = 60000;
	reg.usage_ms = r->in == NO_USAGE ? 0 : 10000;
	reg.steps = r->in != NO_USAGE;
	reg.order_key_credential = (ProtobufCBinaryData){4, (uint8_t *)"CRED"};
	ack.number = (uint64_t)r->arg;
	ack.epoch = r->in == OLD_EPOCH ? 4 : 5;
	order.order = (ProtobufCBinaryData){(size_t)r->arg, bytes};
	order.body = (ProtobufCBinaryData){3, bytes};
	error.text = (char *)"no such node";
	if (r->in == REGISTERED || r->in == NO_USAGE)
		link_message(s->l, session, MSG_REGISTERED, &reg, s->now_us, &s->e);
	else if (r->in == ORDER)
		link_message(s->l, session, MSG_ORDER, &order, s->now_us, &s->e);
	else if (r->in == ERROR)
		link_message(s->l, session, MSG_ERROR, &error, s->now_us, &s->e);
	else
		link_message(s->l, session, MSG_HEARTBEAT_ACK, &ack, s->now_us, &s->e);
}

static void about_task(struct scene *s, const struct row *r, uint64_t session)
{
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT, *keys = &key;
	Armada__Report report = ARMADA__REPORT__INIT;
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	Armada__ReportAck ack = ARMADA__REPORT_ACK__INIT;

	key.job = 812;
	key.rank = (uint32_t)r->arg;
	key.attempt = 1;
	report.key = &key;
	report.kind = (Armada__Report__Kind)(r->in - ACCEPTED + 1);
	report.end = r->in == ENDED ? &end : NULL;
	if (r->in <= ENDED) {
		link_report(s->l, &report);
		return;
	}
	ack.n_started = r->in == ACK_STARTED;
	ack.n_ended = r->in == ACK_ENDED;
	ack.started = ack.ended = &keys;
	link_message(s->l, session, MSG_REPORT_ACK, &ack, s->now_us, &s->e);
}

static void used(struct scene *s, const struct row *r)
{
	struct task_key key = {.job = 812, .rank = r->in == USED_2 ? 2 : 1, .attempt = 1};

	if (r->in == USED_RSS)
		s->used.max_rss_bytes = r->arg;
	else
		s->used.cpu_us = r->arg * 1000000;
	link_usage(s->l, &key, &s->used);
}

static void step(struct scene *s, const struct row *r)
{
	uint64_t session = r->session ? r->session : s->session;
	struct ledger_meta meta = {.node_id = {1}, .epoch = (uint64_t)r->arg};
	static Armada__OutputRead output = ARMADA__OUTPUT_READ__INIT;

	arena_clear(s->e.arena);
	s->e.list = NULL;
	s->e.count = s->e.cap = 0;
	switch (r->in) {
	case TICK:
		s->now_us = r->arg ? r->arg * 1000 : link_due(s->l);
		link_tick(s->l, s->now_us, &s->e);
		break;
	case HELLO:
		memcpy(meta.cluster_id, cluster, 16);
		link_hello(s->l, &meta, s->now_us, &s->e);
		break;
	case CONNECTED:
		link_connected(s->l, session, "10.0.0.9", s->now_us, &s->e);
		break;
	case CLOSED:
		link_closed(s->l, session, "connection refused", s->now_us, &s->e);
		break;
	case LISTED:
		link_inventory_end(s->l, (uint64_t)r->arg, s->now_us, &s->e);
		break;
	case REFUSED:
		link_controller_refused(s->l, "wrong key", s->now_us, &s->e);
		break;
	case FLUSH:
		link_flush(s->l, s->now_us, &s->e);
		break;
	case OUTPUT:
		output.number = (uint64_t)r->arg;
		link_output(s->l, &output, &s->e);
		break;
	case STEP_RUNS:
	case STEP_ENDS:
		link_step(s->l, &(struct task_key){.job = 812, .rank = 1, .attempt = 1},
			  &(struct step_state){.step = (uint32_t)r->arg,
					       .ended = r->in == STEP_ENDS},
			  s->now_us);
		break;
	case USED_CPU ... USED_RSS:
		used(s, r);
		break;
	case ACCEPTED ... ACK_ENDED:
		about_task(s, r, session);
		break;
	default:
		controller(s, r, session);
	}
	for (size_t i = 0; i < s->e.count; i++)
		if (s->e.list[i].kind == LINK_DIAL)
			s->session = s->e.list[i].session;
}

static void play(const char *name, const struct row *rows, size_t count, size_t address_count)
{
	Armada__RegisterNode describe = ARMADA__REGISTER_NODE__INIT;
	struct link_config config = {.addresses = addresses,
				     .address_count = address_count,
				     .describe = &describe,
				     .reconnect_min_us = 100000,
				     .reconnect_max_us = 1000000,
				     .answer_us = 5000000,
				     .seed = 42};
	struct scene s = {.e.arena = arena_new(0), .now_us = 1000000};

	s.l = link_new(&config);
	for (size_t i = 0; i < count; i++) {
		step(&s, &rows[i]);
		is_str(words(&s), rows[i].out, "%s: input %zu", name, i);
	}
	link_free(s.l);
	arena_free(s.e.arena);
	buf_done(&s.words);
}
#define PLAY(name, rows, addresses_) play(name, rows, ARRAY_SIZE(rows), addresses_)

/* The inputs up to an open session, at 1000 ms. */
#define OPEN_WITH(reports)                                                                         \
	{HELLO, 5, "DIAL(0)", 0}, {CONNECTED, 0, "LIST(1)", 0},                                    \
		{LISTED, 1, "REGISTER(10.0.0.9,5," #reports ")", 0},                               \
	{                                                                                          \
		REGISTERED, 5, "CONTROLLER(CRED)", 0                                               \
	}

static const struct row registration[] = {
	{TICK, 1000, "", 0}, /* no output before the launcher's hello */
	{OUTPUT, 3, "", 0},  /* nobody waits for it any more */
	OPEN_WITH(0),
	{OUTPUT, 4, "OUTPUT(4)", 0},
	{REGISTERED, 5, "", 0}, /* a copy */
	{TICK, 2001, "BEAT(1,0)", 0},
	{BEATEN, 1, "", 0},
	{BEATEN, 1, "", 0}, /* a copy */
	{BEATEN, 9, "", 0}, /* never sent */
	{TICK, 2999, "", 0},
	{TICK, 3002, "BEAT(2,0)", 0},
	{OLD_EPOCH, 2, "", 0},
	{BEATEN, 2, "", 0},
	{ORDER, ORDER_SIZE, "ORDER(3)", 0},
	{ORDER, ORDER_SIZE - 1, "", 0},
	{ORDER, ORDER_SIZE, "", 77}, /* of another session */
	{HELLO, 6, "", 0},
};

static const struct row silence[] = {
	OPEN_WITH(0),
	{TICK, 2001, "BEAT(1,0)", 0},
	{TICK, 3001, "BEAT(2,0)", 0},
	{TICK, 4001, "BEAT(3,0)", 0},
	{BEATEN, 2, "", 0}, /* an acknowledgement covers earlier heartbeats */
	{TICK, 5001, "BEAT(4,0)", 0},
	{TICK, 6001, "BEAT(5,0)", 0},
	{TICK, 7000, "", 0},
	{TICK, 7001, "CLOSE", 0}, /* 3 s after the third heartbeat was sent */
	{BEATEN, 5, "", 0},
	{TICK, 0, "DIAL(0)", 0}, /* the same controller again */
	{CLOSED, 0, "", 1},      /* of the old session */
	{CONNECTED, 0, "", 1},
	{CONNECTED, 0, "LIST(2)", 0},
	{LISTED, 1, "", 0}, /* of the inventory of the old session */
	{LISTED, 2, "REGISTER(10.0.0.9,5,0)", 0},
};

static const struct row trouble[] = {
	{HELLO, 5, "DIAL(0)", 0},
	{CLOSED, 0, "", 0},
	{TICK, 0, "DIAL(1)", 0},
	{TICK, 0, "CLOSE", 0}, /* no connection */
	{TICK, 0, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(1)", 0},
	{TICK, 0, "CLOSE", 0}, /* the launcher does not answer */
	{TICK, 0, "DIAL(1)", 0},
	{CONNECTED, 0, "LIST(2)", 0},
	{LISTED, 2, "REGISTER(10.0.0.9,5,0)", 0},
	{TICK, 0, "CLOSE", 0}, /* the controller does not */
	{TICK, 0, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(3)", 0},
	{LISTED, 3, "REGISTER(10.0.0.9,5,0)", 0},
	{REGISTERED, 4, "CLOSE", 0}, /* an epoch that is over */
	{TICK, 0, "DIAL(1)", 0},
	{CONNECTED, 0, "LIST(4)", 0},
	{LISTED, 4, "REGISTER(10.0.0.9,5,0)", 0},
	{ERROR, 0, "CLOSE", 0},
	{TICK, 0, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(5)", 0},
	{LISTED, 5, "REGISTER(10.0.0.9,5,0)", 0},
	{ORDER, ORDER_SIZE, "ORDER(3)",
	 0}, /* an acknowledgement that arrived before that of the registration */
	{REFUSED, 0, "CLOSE", 0},
};

static const struct row usage[] = {
	{HELLO, 5, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(1)", 0},
	{STARTED, 1, "", 0},
	{ACCEPTED, 2, "", 0},
	{LISTED, 1, "REGISTER(10.0.0.9,5,2)", 0},
	{REGISTERED, 5, "CONTROLLER(CRED)", 0}, /* at 1000 ms */
	{ACK_STARTED, 1, "", 0},
	{USED_CPU, 1, "", 0},
	{USED_2, 1, "", 0}, /* the task has not started */
	{FLUSH, 0, "", 0},
	{TICK, 1999, "", 0},
	{TICK, 2000, "BEAT(1,2) REPORTS(2:1) USAGE(1:1,0)", 0}, /* a new task: after a second */
	{BEATEN, 1, "", 0},
	{USED_CPU, 1, "", 0},
	{FLUSH, 0, "", 0}, /* no change */
	{USED_CPU, 2, "", 0},
	{FLUSH, 0, "", 0},
	{STARTED, 2, "", 0},
	{FLUSH, 0, "REPORTS(2:2)", 0},
	{ACK_STARTED, 2, "", 0},
	{TICK, 3000, "BEAT(2,2)", 0},
	{BEATEN, 2, "", 0},
	{USED_2, 3, "", 0},
	{FLUSH, 0, "USAGE(1:2,0 2:3,0)", 0}, /* all that has changed goes with the new task */
	{USED_CPU, 9, "", 0},
	{USED_RSS, 6400, "", 0},
	{TICK, 4000, "BEAT(3,2)", 0},
	{BEATEN, 3, "", 0},
	{TICK, 12999, "BEAT(4,2)", 0},
	{BEATEN, 4, "", 0},
	{TICK, 13000, "USAGE(1:9,6400)", 0}, /* a known task: once in the interval */
	{USED_RSS, 6500, "", 0},             /* a sixty-fourth more is no change */
	{TICK, 13999, "BEAT(5,2)", 0},
	{BEATEN, 5, "", 0},
	{TICK, 24000, "BEAT(6,2)", 0},
	{BEATEN, 6, "", 0},
	{USED_RSS, 6501, "", 0},
	{FLUSH, 0, "USAGE(1:9,6501)", 0},
	{USED_CPU, 11, "", 0},
	{ENDED, 1, "", 0},
	{TICK, 34000, "BEAT(7,1) REPORTS(1:3)", 0}, /* its end has its usage */
	{ACK_ENDED, 1, "ACKED(1,1)", 0},
	{USED_CPU, 12, "", 0}, /* the task is not known any more */
	{FLUSH, 0, "", 0},
	{CLOSED, 0, "", 0},
	{USED_2, 13, "", 0},
	{TICK, 0, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(2)", 0},
	{STARTED, 2, "", 0},
	{LISTED, 2, "REGISTER(10.0.0.9,5,1)", 0},
	{REGISTERED, 5, "CONTROLLER(CRED)", 0},
	{ACK_STARTED, 2, "", 0},
	{FLUSH, 0, "", 0},
	{TICK, 0, "BEAT(1,1) USAGE(2:13,6501)", 0}, /* another controller knows nothing of it */
	{CLOSED, 0, "", 0},
	{TICK, 0, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(3)", 0},
	{STARTED, 2, "", 0},
	{LISTED, 3, "REGISTER(10.0.0.9,5,1)", 0},
	{NO_USAGE, 5, "CONTROLLER(CRED)", 0},
	{ACK_STARTED, 2, "", 0},
	{USED_2, 99, "", 0},
	{TICK, 99000, "BEAT(1,1)", 0}, /* an older one takes none */
};

static const struct row steps[] = {
	{HELLO, 5, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(1)", 0},
	{STARTED, 1, "", 0},
	{STEP_RUNS, 0, "", 0},
	{LISTED, 1, "REGISTER(10.0.0.9,5,1)", 0},
	{REGISTERED, 5, "CONTROLLER(CRED)", 0}, /* at 1000 ms */
	{ACK_STARTED, 1, "", 0},
	{FLUSH, 0, "", 0},
	{TICK, 1199, "", 0},
	{TICK, 1200, "STEPS(1.0)", 0}, /* after a fifth of a second, with the others */
	{STEP_RUNS, 1, "", 0},
	{STEP_RUNS, 2, "", 0},
	{STEP_ENDS, 1, "", 0},
	{TICK, 1400, "STEPS(1.1:end 1.2)", 0}, /* only the last state */
	{FLUSH, 0, "", 0},
	{STEP_ENDS, 2, "", 0},
	{ENDED, 1, "", 0},
	{FLUSH, 0, "STEPS(1.2:end) REPORTS(1:3)", 0}, /* at once, before the end of the task */
	{ACK_ENDED, 1, "ACKED(1,1)", 0},
	{CLOSED, 0, "", 0},
	{STEP_RUNS, 3, "",
	 0}, /* without a session nothing is kept: all is told again in the next one */
	{TICK, 0, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(2)", 0},
	{LISTED, 2, "REGISTER(10.0.0.9,5,0)", 0},
	{NO_USAGE, 5, "CONTROLLER(CRED)", 0},
	{STEP_RUNS, 4, "", 0},
	{TICK, 99000, "BEAT(1,0)", 0}, /* an older controller takes none */
};

static const struct row reports[] = {
	{ACCEPTED, 0, "", 0},
	{STARTED, 1, "", 0},
	{ENDED, 2, "", 0},
	{FLUSH, 0, "", 0},
	{HELLO, 5, "DIAL(0)", 0},
	{CONNECTED, 0, "LIST(1)", 0},
	{ENDED, 2, "", 0},
	{STARTED, 1, "", 0}, /* the first task is not in the spool */
	{LISTED, 1, "REGISTER(10.0.0.9,5,2)", 0},
	{ACCEPTED, 3, "", 0},
	{FLUSH, 0, "", 0}, /* not before the registration is answered */
	{REGISTERED, 5, "CONTROLLER(CRED) REPORTS(3:1)", 0},
	{STARTED, 3, "", 0},
	{STARTED, 4, "", 0},
	{FLUSH, 0, "REPORTS(3:2 4:2)", 0},
	{FLUSH, 0, "", 0},
	{ACK_STARTED, 3, "", 0},
	{TICK, 2000, "BEAT(1,3) REPORTS(1:2 2:3 4:2)", 0}, /* the reports without acknowledgement */
	{BEATEN, 1, "", 0},
	{ACK_ENDED, 2, "ACKED(1,2)", 0},
	{ACK_ENDED, 2, "ACKED(1,2)", 0}, /* a copy; the ledger ignores it */
	{ACK_STARTED, 1, "", 0},
	{ACK_STARTED, 4, "", 0},
	{TICK, 3000, "BEAT(2,3)", 0},
	{BEATEN, 2, "", 0},
	{ENDED, 3, "", 0},
	{FLUSH, 0, "REPORTS(3:3)", 0},
	{STARTED, 3, "", 0},     /* older than the known state */
	{ACK_STARTED, 3, "", 0}, /* does not acknowledge the end */
	{FLUSH, 0, "", 0},
	{TICK, 4000, "BEAT(3,2) REPORTS(3:3)", 0},
	{CLOSED, 0, "", 0},
	{ENDED, 4, "", 0},
	{TICK, 0, "DIAL(0)", 0},
	{ACK_ENDED, 3, "", 0}, /* ignored before the registration */
	{CONNECTED, 0, "LIST(2)", 0},
	{STARTED, 1, "", 0},
	{ENDED, 3, "", 0},
	{ENDED, 4, "", 0},
	{LISTED, 2, "REGISTER(10.0.0.9,5,3)", 0},
	{ACK_ENDED, 3, "ACKED(1,3)", 0},
	{REFUSED, 0, "CLOSE", 0},
};

/*
 * The pauses between rounds of dialling double up to the maximum, and two links use different
 * pauses.
 */
static void test_pauses(void)
{
	Armada__RegisterNode describe = ARMADA__REGISTER_NODE__INIT;
	struct link_effects e = {.arena = arena_new(0)};
	struct ledger_meta meta = {.epoch = 1};
	int64_t max_us = 100000, now_us = 0, other_us = 0;
	struct link *l[2];

	for (uint64_t i = 0; i < 2; i++)
		l[i] = link_new(&(struct link_config){.addresses = addresses,
						      .address_count = 1,
						      .describe = &describe,
						      .reconnect_min_us = 100000,
						      .reconnect_max_us = 1000000,
						      .answer_us = 5000000,
						      .seed = 7 + 2 * i});
	for (int i = 0; i < 2; i++)
		link_hello(l[i], &meta, 0, &e);
	for (uint64_t n = 1; n <= 6; n++) {
		link_closed(l[0], n, NULL, now_us, &e);
		link_closed(l[1], n, NULL, other_us, &e);
		ok(link_due(l[0]) - now_us >= max_us / 2 && link_due(l[0]) - now_us <= max_us,
		   "pause %llu is between %lld and %lld us", (unsigned long long)n,
		   (long long)max_us / 2, (long long)max_us);
		ok(link_due(l[0]) - now_us != link_due(l[1]) - other_us,
		   "another link has another pause");
		now_us = link_due(l[0]);
		other_us = link_due(l[1]);
		link_tick(l[0], now_us, &e);
		link_tick(l[1], other_us, &e);
		max_us = max_us * 2 > 1000000 ? 1000000 : max_us * 2;
	}
	link_free(l[0]);
	link_free(l[1]);
	arena_free(e.arena);
}

/* Reports that do not fit into one message are sent in several. */
static void test_batches(void)
{
	Armada__RegisterNode describe = ARMADA__REGISTER_NODE__INIT;
	struct link_config config = {.addresses = addresses,
				     .address_count = 1,
				     .describe = &describe,
				     .reconnect_min_us = 1,
				     .reconnect_max_us = 1,
				     .answer_us = 1000};
	struct scene s = {.e.arena = arena_new(0), .now_us = 1000000};
	static const struct row open[] = {OPEN_WITH(0)};
	size_t count = 0, messages = 0;

	s.l = link_new(&config);
	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		step(&s, &open[i]);
	for (long rank = 0; rank < 1000; rank++)
		step(&s, &(struct row){ENDED, rank, NULL, 0});
	step(&s, &(struct row){FLUSH, 0, NULL, 0});
	for (size_t i = 0; i < s.e.count; i++) {
		const Armada__Reports *m = s.e.list[i].message;

		messages++;
		count += m->n_reports;
	}
	is_int((long long)messages, 4, "1000 reports are sent in 4 messages");
	is_int((long long)count, 1000, "all reports are sent");
	is_int((long long)link_pending(s.l), 1000, "all wait for their acknowledgement");
	link_free(s.l);
	arena_free(s.e.arena);
	buf_done(&s.words);
}

/* A shutdown is announced at once and in every later message, in this session and in the next. */
static void test_leaving(void)
{
	static const struct row open[] = {
		{HELLO, 0, NULL, 0}, {CONNECTED, 1, NULL, 0}, {LISTED, 1, NULL, 0}};
	Armada__RegisterNode describe = ARMADA__REGISTER_NODE__INIT;
	struct link_config config = {.addresses = addresses,
				     .address_count = 1,
				     .describe = &describe,
				     .reconnect_min_us = 1,
				     .reconnect_max_us = 1,
				     .answer_us = 1000};
	struct scene s = {.e.arena = arena_new(0), .now_us = 1000000};
	const Armada__RegisterNode *r;
	const Armada__Heartbeat *h;

	s.l = link_new(&config);
	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		step(&s, &open[i]);
	r = s.e.list[0].message;
	ok(!r->leaving, "a node that stays up does not announce a shutdown");
	step(&s, &(struct row){REGISTERED, 5, NULL, 0});
	s.e.count = 0;
	link_shutdown(s.l, s.now_us, &s.e);
	is_str(words(&s), "BEAT(1,0)", "a shutdown is announced at once");
	h = s.e.list[0].message;
	ok(h->leaving, "the heartbeat has the flag");
	s.e.count = 0;
	link_shutdown(s.l, s.now_us, &s.e);
	is_str(words(&s), "", "it is sent once");
	link_free(s.l);
	arena_free(s.e.arena);
	buf_done(&s.words);
}

/* A standby ends the session; the leader that it names is dialled next, once in a round. */
static void test_standby(void)
{
	static const char *const three[] = {"one:1", "two:2", "three:3"};
	static const struct {
		const char *leader;
		size_t next;
	} rows[] = {{"three:3", 2}, {"", 0}, {"nobody:9", 1}, {"one:1", 0}, {"one:1", 1}};
	Armada__RegisterNode describe = ARMADA__REGISTER_NODE__INIT;
	struct link_config config = {.addresses = three,
				     .address_count = 3,
				     .describe = &describe,
				     .reconnect_min_us = 1,
				     .reconnect_max_us = 1,
				     .answer_us = 1000};
	static const struct ledger_meta meta;
	struct scene s = {.e.arena = arena_new(0), .now_us = 1000000};

	s.l = link_new(&config);
	link_hello(s.l, &meta, s.now_us, &s.e);
	is_str(words(&s), "DIAL(0)", "the first controller is dialled");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t session = s.e.list[s.e.count - 1].session;
		CLEANUP_FREE char *dial = xasprintf("DIAL(%zu)", rows[i].next);

		s.e.count = 0;
		link_standby(s.l, session, rows[i].leader, s.now_us, &s.e);
		is_str(words(&s), "CLOSE", "the session with a standby ends");
		s.now_us += 1000;
		s.e.count = 0;
		link_tick(s.l, s.now_us, &s.e);
		is_str(words(&s), dial, "after a standby of '%s'", rows[i].leader);
	}
	link_free(s.l);
	arena_free(s.e.arena);
	buf_done(&s.words);
}

int main(void)
{
	test_leaving();
	test_standby();
	PLAY("registration", registration, 1);
	PLAY("silence", silence, 1);
	PLAY("trouble", trouble, 2);
	PLAY("usage", usage, 1);
	PLAY("steps", steps, 1);
	PLAY("reports", reports, 1);
	test_pauses();
	test_batches();
	return done();
}
