/*
 * The link of a node with a controller that sends anything in any order, and with a slow launcher.
 * Input: a list of steps; each is a kind, a length and bytes.
 */
#include "agent/link.h"
#include "util/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum msg_type types[] = {MSG_REGISTERED, MSG_HEARTBEAT_ACK, MSG_ORDER,
				      MSG_REPORT_ACK, MSG_ERROR,         MSG_REPORTS};

struct run {
	struct link *link;
	struct arena *decoded;
	struct link_effects out;
	int64_t now_us;
	uint64_t session, number;
};

/* Checks what must hold for every output of the link. */
static void look(struct run *r)
{
	for (size_t i = 0; i < r->out.count; i++) {
		const struct link_effect *x = &r->out.list[i];

		if (x->kind == LINK_DIAL) {
			if (x->session <= r->session || x->address >= 2)
				abort();
			r->session = x->session;
		} else if (x->kind == LINK_INVENTORY) {
			r->number = x->number;
		} else if (x->kind == LINK_SEND) {
			struct buf packed = {0};

			if (x->session != r->session)
				abort();
			msg_pack(x->message, &packed);
			buf_done(&packed);
		} else if (x->kind == LINK_CONTROLLER && strlen(x->credential) > 4095) {
			abort();
		}
	}
	arena_clear(r->out.arena);
	r->out.list = NULL;
	r->out.count = r->out.cap = 0;
}

static void hear(struct run *r, enum msg_type type, const uint8_t *bytes, size_t len)
{
	void *message;

	arena_clear(r->decoded);
	message = msg_unpack(msg_find(type), bytes, len, r->decoded, NULL);
	if (message)
		link_message(r->link, r->session, type, message, r->now_us, &r->out);
}

static void hear_launcher(struct run *r, const uint8_t *bytes, size_t len)
{
	const Armada__Report *report;

	arena_clear(r->decoded);
	report = msg_unpack_as(&armada__report__descriptor, bytes, len, r->decoded, NULL);
	if (report)
		link_report(r->link, report);
}

static void step(struct run *r, uint8_t what, const uint8_t *bytes, size_t len)
{
	struct ledger_meta meta = {.node_id = {1}, .epoch = what};

	if (what < ARRAY_SIZE(types))
		hear(r, types[what], bytes, len);
	else if (what % 8 == 0)
		link_connected(r->link, r->session, "10.0.0.1", r->now_us, &r->out);
	else if (what % 8 == 1)
		link_closed(r->link, r->session, NULL, r->now_us, &r->out);
	else if (what % 8 == 2)
		link_inventory_end(r->link, r->number, r->now_us, &r->out);
	else if (what % 8 == 3)
		hear_launcher(r, bytes, len);
	else if (what % 8 == 4)
		link_hello(r->link, &meta, r->now_us, &r->out);
	else if (what % 8 == 5)
		link_controller_refused(r->link, "no", r->now_us, &r->out);
	else if (what % 8 == 6)
		link_flush(r->link, r->now_us, &r->out);
	else if (link_due(r->link) != INT64_MAX)
		link_tick(r->link, r->now_us = link_due(r->link), &r->out);
	look(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const addresses[] = {"a:1", "b:2"};
	Armada__RegisterNode describe = ARMADA__REGISTER_NODE__INIT;
	struct link_config config = {.addresses = addresses,
				     .address_count = 2,
				     .describe = &describe,
				     .reconnect_min_us = 1000,
				     .reconnect_max_us = 8000,
				     .answer_us = 5000};
	struct run r = {
		.link = link_new(&config), .decoded = arena_new(0), .out.arena = arena_new(0)};
	size_t len;

	for (size_t at = 0; at + 2 <= size; at += 2 + len) {
		len = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;
		step(&r, data[at], data + at + 2, len);
	}
	link_free(r.link);
	arena_free(r.decoded);
	arena_free(r.out.arena);
	return 0;
}
