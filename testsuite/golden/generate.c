/*
 * Writes the golden messages of this release, a file for each message type and for the record of
 * the log, and makes seeds of the fuzzers from them:
 *
 *	testsuite/golden/generate testsuite/golden/0.1 testsuite/fuzz/corpus
 *
 * The golden messages of a published release are never written again.
 */
#include "proto/msg.h"
#include "proto/order.h"
#include "unit/wire/fill.h"
#include "unit/wire/pair.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put(const char *dir, const char *name, const void *data, size_t len)
{
	char *path CLEANUP_FREE = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* Writes a seed: a byte that selects the target, then the bytes. */
static void seed(const char *corpus, const char *target, const char *name, uint8_t first,
		 const struct buf *b)
{
	char *dir CLEANUP_FREE = xasprintf("%s/%s", corpus, target);
	struct buf whole CLEANUP_BUF = {0};

	mkdir(dir, 0755);
	buf_addc(&whole, (char)first);
	buf_add(&whole, b->data, b->len);
	put(dir, name, whole.data, whole.len);
}

static void message(const char *golden, const char *corpus, const char *name, uint8_t type,
		    const ProtobufCMessageDescriptor *schema)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct buf b CLEANUP_BUF = {0};

	msg_pack(fill_message(schema, 0, arena), &b);
	put(golden, name, b.data, b.len);
	seed(corpus, "message", name, type, &b);
}

/* The frames of a whole handshake, for each end. */
static void sessions(const char *corpus)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	struct pair p;

	pair_init(&p, &sp, &cp);
	seed(corpus, "session", "server-hello", 1, session_out(p.server));
	pair_carry(p.server, p.client, SIZE_MAX);
	pair_work(p.client, &p.client_auth);
	seed(corpus, "session", "client-hello", 0, session_out(p.client));
	pair_carry(p.client, p.server, SIZE_MAX);
	pair_work(p.server, &p.server_auth);
	pair_work(p.server, &p.server_auth);
	seed(corpus, "session", "server-proof", 2, session_out(p.server));
	session_refuse(p.server, 4, "refused for a reason");
	pair_done(&p);
	pair_init(&p, &sp, &cp);
	buf_clear(session_out(p.server));
	session_refuse(p.server, 4, "refused for a reason");
	seed(corpus, "session", "refusal", 1, session_out(p.server));
	pair_done(&p);
}

/* Frames for an open session: type, length, body. The fuzz target seals them. */
static void opened(const char *corpus)
{
	static const struct {
		const char *name;
		uint8_t first;
		uint8_t type;
	} rows[] = {{"open-ping", 3, MSG_PING},      {"open-submit", 3, MSG_SUBMIT},
		    {"open-beat", 4, MSG_HEARTBEAT}, {"open-register", 4, MSG_REGISTER_NODE},
		    {"open-reply", 5, MSG_OK},       {"open-forbidden", 3, MSG_ORDER}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena *arena CLEANUP_ARENA = arena_new(0);
		struct buf b CLEANUP_BUF = {0}, body CLEANUP_BUF = {0};

		msg_pack(fill_message(msg_find(rows[i].type)->schema, 0, arena), &body);
		buf_addc(&b, (char)rows[i].type);
		buf_addc(&b, (char)body.len);
		buf_addc(&b, (char)(body.len >> 8));
		buf_add(&b, body.data, body.len);
		seed(corpus, "session", rows[i].name, rows[i].first, &b);
	}
}

static void orders(const char *golden, const char *corpus)
{
	struct order o = {.kind = ORDER_LAUNCH,
			  .cluster_id = "0123456789abcdef",
			  .node_id = "fedcba9876543210",
			  .epoch = 3,
			  .seq = 99,
			  .key = {.job = 812, .element = 7, .rank = 3, .attempt = 1},
			  .uid = 1000,
			  .gid = 100,
			  .grace_ms = 30000,
			  .digest = "digest of thirty-two bytes......",
			  .boot = "boot of sixteen."};
	uint8_t bytes[ORDER_SIZE];
	char *dir CLEANUP_FREE = xasprintf("%s/order", corpus);

	mkdir(dir, 0755);
	order_encode(&o, bytes);
	put(golden, "order.launch", bytes, sizeof(bytes));
	put(dir, "launch", bytes, sizeof(bytes));
	o.kind = ORDER_KILL;
	o.cause = 4;
	order_encode(&o, bytes);
	put(golden, "order.kill", bytes, sizeof(bytes));
	put(dir, "kill", bytes, sizeof(bytes));
}

int main(int argc, char **argv)
{
	const struct msg_info *rows;
	size_t count;

	if (argc != 3) {
		fprintf(stderr, "usage: generate GOLDEN-DIR CORPUS-DIR\n");
		return 2;
	}
	rows = msg_rows(&count);
	for (size_t i = 0; i < count; i++)
		message(argv[1], argv[2], rows[i].name, (uint8_t)rows[i].type, rows[i].schema);
	message(argv[1], argv[2], "record", 200, &armada__record__descriptor);
	message(argv[1], argv[2], "task_body", 201, &armada__task_body__descriptor);
	message(argv[1], argv[2], "stub_payload", 202, &armada__stub_payload__descriptor);
	sessions(argv[2]);
	opened(argv[2]);
	orders(argv[1], argv[2]);
	return 0;
}
