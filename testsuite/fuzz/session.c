/*
 * Input: bytes for a session in the role and state that the first byte selects: 0 server at its
 * start, 1 client at its start, 2 client that waits for the proof, 3 open server of a client, 4
 * open server of an agent, 5 open client. A session that is not open gets the bytes unchanged. An
 * open one gets frames (type 1 byte, length 2) that the peer seals, or the bytes unchanged if the
 * first byte is 128 or more.
 */
#include "unit/wire/pair.h"
#include "wire/state.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void start(struct pair *p, uint8_t what)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();

	if (what == 4)
		cp.self = ROLE_AGENT;
	pair_init(p, &sp, &cp);
	if (what == 4)
		p->client_auth.uid = 901;
	if (what >= 3) {
		pair_run(p);
	} else if (what == 2) {
		pair_carry(p->server, p->client, SIZE_MAX);
		pair_work(p->client, &p->client_auth);
	}
}

/* Receives all messages. */
static void drain(struct session *s)
{
	struct session_frame f;
	int rc;

	while ((rc = session_next(s, &f)) > 0) {
		struct arena *arena CLEANUP_ARENA = arena_new(0);
		struct err err;

		msg_unpack(f.info, f.body, f.len, arena, &err);
	}
	if (rc < 0 && session_state(s) != SESSION_FAILED)
		abort();
}

static void feed_sealed(struct session *from, struct session *to, const uint8_t *p, size_t left)
{
	while (left >= 3 && session_state(to) == SESSION_OPEN) {
		size_t len = p[1] | (size_t)p[2] << 8;
		struct frame_header h = {.type = p[0], .request = 1};
		struct buf out CLEANUP_BUF = {0};

		p += 3;
		left -= 3;
		len = len < left ? len : left;
		h.len = (uint32_t)len;
		memcpy(frame_begin(&out, &h, &from->tx), p, len);
		frame_end(&out, &h, &from->tx);
		session_feed(to, out.data, out.len);
		drain(to);
		p += len;
		left -= len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t what = size ? data[0] & 7 : 0;
	struct session *to;
	struct pair p;

	if (!size || what > 5)
		return 0;
	start(&p, what);
	to = what == 1 || what == 2 || what == 5 ? p.client : p.server;
	if (what >= 3 && data[0] < 128) {
		feed_sealed(to == p.client ? p.server : p.client, to, data + 1, size - 1);
	} else {
		/* in two pieces, so that the session gets parts of frames */
		session_feed(to, data + 1, (size - 1) / 2);
		drain(to);
		session_feed(to, data + 1 + (size - 1) / 2, size - 1 - (size - 1) / 2);
		drain(to);
	}
	pair_work(to, &p.server_auth);
	drain(to);
	if (session_state(to) == SESSION_FAILED && !session_error(to, NULL)[0])
		abort();
	pair_done(&p);
	return 0;
}
