/*
 * An open session: sealed frames, frames that are changed, moved or reflected in transit,
 * invalid headers, and refusals.
 */
#include "tap/tap.h"
#include "unit/wire/pair.h"
#include "util/mem.h"
#include "wire/frame.h"
#include "wire/state.h"

#include <string.h>

/* An open pair, and the bytes of three frames of the client. */
struct caught {
	struct pair p;
	struct buf bytes;
	size_t frame; /* length of each frame */
};

static void catch (struct caught *c)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	Armada__ShowJobRequest show = ARMADA__SHOW_JOB_REQUEST__INIT;

	*c = (struct caught){0};
	pair_init(&c->p, &sp, &cp);
	pair_run(&c->p);
	for (uint32_t i = 0; i < 3; i++) {
		show.job = 100 + i;
		session_send(c->p.client, MSG_SHOW_JOB, i, &show);
	}
	buf_add(&c->bytes, session_out(c->p.client)->data, session_out(c->p.client)->len);
	buf_clear(session_out(c->p.client));
	c->frame = c->bytes.len / 3;
}

static void release(struct caught *c)
{
	pair_done(&c->p);
	buf_done(&c->bytes);
}

/* The number of frames that the server accepts before it fails; -1 if it does not fail. */
static int taken(struct caught *c, const uint8_t *bytes, size_t len)
{
	struct session_frame f;
	int n = 0, rc;

	session_feed(c->p.server, bytes, len);
	while ((rc = session_next(c->p.server, &f)) > 0)
		n++;
	return rc < 0 ? n : -1;
}

static void test_tampered(void)
{
	unsigned through = 0, frame;
	struct caught c;

	catch (&c);
	frame = (unsigned)c.frame;
	release(&c);
	for (unsigned at = 0; at < frame; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct session_frame f;

			catch (&c);
			c.bytes.data[at] ^= (uint8_t)(1u << bit);
			session_feed(c.p.server, c.bytes.data, c.bytes.len);
			through += session_next(c.p.server, &f) > 0;
			release(&c);
		}
	}
	is_int(through, 0, "no frame with a flipped bit at any place is accepted (%u bytes)",
	       frame);
}

static void test_moved(void)
{
	struct buf b CLEANUP_BUF = {0};
	struct caught c;

	catch (&c);
	is_int(taken(&c, c.bytes.data, c.bytes.len), -1, "unchanged frames are all accepted");
	is_int(taken(&c, c.bytes.data, c.frame), 0, "a replayed frame is refused");
	has_str(session_error(c.p.server, NULL), "repeated", "the error says so");
	pair_run(&c.p);
	{
		struct session_frame f;

		is_int(session_next(c.p.client, &f), -1, "the client sees the end");
		has_str(session_error(c.p.client, NULL), "cannot decrypt a frame",
			"the client gets the error");
	}
	release(&c);

	catch (&c);
	is_int(taken(&c, c.bytes.data + c.frame, c.frame), 0, "a missing frame is noticed");
	release(&c);

	catch (&c);
	buf_add(&b, c.bytes.data + c.frame, c.frame);
	buf_add(&b, c.bytes.data, c.frame);
	is_int(taken(&c, b.data, b.len), 0, "two swapped frames are refused");
	release(&c);

	catch (&c);
	buf_clear(&b);
	buf_add(&b, c.bytes.data, c.frame);
	buf_addc(&b, 0);
	frame_header_put(
		&(struct frame_header){.len = (uint32_t)c.frame - FRAME_HEADER - FRAME_SEAL + 1,
				       .type = MSG_SHOW_JOB},
		b.data);
	is_int(taken(&c, b.data, b.len), 0, "a frame made longer is refused");
	release(&c);

	catch (&c);
	frame_header_put(
		&(struct frame_header){.len = (uint32_t)c.frame - FRAME_HEADER - FRAME_SEAL - 1,
				       .type = MSG_SHOW_JOB},
		c.bytes.data);
	is_int(taken(&c, c.bytes.data, c.frame - 1), 0, "a frame made shorter is refused");
	release(&c);

	catch (&c);
	is_int(taken(&c, c.bytes.data, c.frame - 1), -1, "half of a frame waits for the rest");
	release(&c);
}

/* A frame that is reflected to its sender is not accepted. */
static void test_reflected(void)
{
	struct session_frame f;
	struct caught c;

	catch (&c);
	session_feed(c.p.client, c.bytes.data, c.frame);
	is_int(session_next(c.p.client, &f), -1, "a reflected frame is refused");
	release(&c);
}

static void header_is_refused(const struct frame_header *h, const char *words, int code)
{
	uint8_t bytes[FRAME_HEADER];
	struct session_frame f;
	struct caught c;
	int got = 0;

	catch (&c);
	frame_header_put(h, bytes);
	session_feed(c.p.server, bytes, sizeof(bytes));
	is_int(session_next(c.p.server, &f), -1, "a frame is refused because of its header: %s",
	       words);
	has_str(session_error(c.p.server, &got), words, "the error says so");
	is_int(got, code, "it has the exit code");
	release(&c);
}

static void test_headers(void)
{
	header_is_refused(&(struct frame_header){.type = MSG_PING, .len = 1025},
			  "PING: 1025 bytes, at most 1024", 1);
	header_is_refused(&(struct frame_header){.type = MSG_PING, .len = UINT32_MAX},
			  "at most 1024", 1);
	header_is_refused(&(struct frame_header){.type = 9999}, "unknown message type 9999", 1);
	header_is_refused(&(struct frame_header){.type = MSG_CLIENT_HELLO}, "unknown message type",
			  1);
	header_is_refused(&(struct frame_header){.type = MSG_PING, .flags = 1},
			  "unknown message type", 1);
	header_is_refused(&(struct frame_header){.type = MSG_HEARTBEAT},
			  "a client may not send HEARTBEAT", 4);
	header_is_refused(&(struct frame_header){.type = MSG_ORDER}, "a client may not send ORDER",
			  4);
	header_is_refused(&(struct frame_header){.type = MSG_REFUSAL}, "may not send REFUSAL", 4);
}

static void test_too_large(void)
{
	uint8_t *body = xcalloc(1, 70000);
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct session_frame f;
	struct err err = {""};
	struct caught c;

	catch (&c);
	session_send_packed(c.p.server, MSG_OK, 5, body, 70000);
	pair_carry(c.p.server, c.p.client, SIZE_MAX);
	is_int(session_next(c.p.client, &f), 1,
	       "a reply of its own replaces a reply that is too large");
	is_int(f.info->type, MSG_ERROR, "the reply is an error");
	is_int(f.request, 5, "it has the number of the request");
	Armada__ErrorReply *e = msg_unpack(f.info, f.body, f.len, arena, &err);
	has_str(e ? e->text : "", "OK: 70000 bytes, at most 65536", "the error gives the sizes");
	session_send_packed(c.p.client, MSG_PING, 5, body, 2000);
	is_int(session_state(c.p.client), SESSION_FAILED, "a client that sends too much fails");
	release(&c);
	free(body);
}

static void test_refuse(void)
{
	struct session_frame f;
	struct caught c;
	int code;

	catch (&c);
	session_refuse(c.p.server, 75, "too many \x01 connections");
	pair_carry(c.p.server, c.p.client, SIZE_MAX);
	is_int(session_next(c.p.client, &f), -1, "a refusal ends an open session");
	is_str(session_error(c.p.client, &code), "too many ? connections",
	       "it has its text, without control characters");
	is_int(code, 75, "it has its exit code");
	release(&c);
}

int main(void)
{
	test_tampered();
	test_moved();
	test_reflected();
	test_headers();
	test_too_large();
	test_refuse();
	return done();
}
