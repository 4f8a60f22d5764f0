/*
 * One end of the encrypted stream between stub and arun (stream.h). Input: received bytes, and
 * frames to send. Output: bytes to send, and received frames.
 *
 * Caveat: a frame that the other end may not send, that exceeds its window, or whose seal is wrong,
 * fails the stream permanently. The body of a received frame is decrypted in place and valid until the
 * next call.
 */
#include "stub/stream.h"

#include "util/le.h"
#include "util/mem.h"
#include "wire/frame.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <string.h>

struct stream {
	enum stream_end self;
	enum stream_state state;
	struct hello hello;
	uint8_t key[HELLO_KEY];
	uint8_t random[HELLO_RANDOM];
	uint8_t hello_bytes[HELLO_SIZE]; /* the hello, for the keys */
	struct seal seal_in, seal_out;
	struct buf in, out;
	size_t at;          /* offset in `in` of the next frame */
	uint32_t window_in; /* how much unconsumed data may be held here */
	uint32_t window_out;
	size_t held, sent; /* data held here; data sent and not consumed by the other end */
	size_t taken;      /* consumed, but not yet reported with TAKEN */
};

static const struct stream_kind kinds[] = {
#define X(number, NAME, from, min, max) {number, #NAME, from, min, max},
	STREAM_FRAMES(X)
#undef X
};

const struct stream_kind *stream_kind(uint16_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

static struct stream *stream_new(enum stream_end self, const uint8_t key[HELLO_KEY],
				 const uint8_t random[HELLO_RANDOM])
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->self = self;
	memcpy(s->key, key, sizeof(s->key));
	memcpy(s->random, random, sizeof(s->random));
	return s;
}

struct stream *stream_new_stub(const uint8_t key[HELLO_KEY], const struct hello *h,
			       const uint8_t random[HELLO_RANDOM])
{
	struct stream *s = stream_new(STREAM_STUB, key, random);

	s->hello = *h;
	s->window_in = STREAM_STDIN_WINDOW;
	hello_make(s->key, h, s->random, s->hello_bytes);
	buf_add(&s->out, s->hello_bytes, sizeof(s->hello_bytes));
	return s;
}

struct stream *stream_new_arun(const uint8_t key[HELLO_KEY], uint32_t window,
			       const uint8_t random[HELLO_RANDOM])
{
	struct stream *s = stream_new(STREAM_ARUN, key, random);

	assert(window >= STREAM_WINDOW_MIN && window <= STREAM_WINDOW_MAX);
	s->window_in = window;
	s->window_out = STREAM_STDIN_WINDOW;
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	buf_done(&s->in);
	buf_done(&s->out);
	sodium_memzero(s, sizeof(*s));
	free(s);
}

enum stream_state stream_state(const struct stream *s)
{
	return s->state;
}

const struct hello *stream_hello(const struct stream *s)
{
	return &s->hello;
}

struct buf *stream_out(struct stream *s)
{
	return &s->out;
}

static void fail(struct stream *s)
{
	s->state = STREAM_FAILED;
	buf_clear(&s->in);
	s->at = 0;
}

static void open_seals(struct stream *s, const uint8_t answer[HELLO_ANSWER_SIZE])
{
	bool stub = s->self == STREAM_STUB;
	struct hello_keys keys;

	hello_keys(s->key, s->hello_bytes, answer, &keys);
	seal_init(stub ? &s->seal_out : &s->seal_in, keys.from_stub, keys.nonce_stub);
	seal_init(stub ? &s->seal_in : &s->seal_out, keys.from_arun, keys.nonce_arun);
	sodium_memzero(&keys, sizeof(keys));
	sodium_memzero(s->key, sizeof(s->key));
	s->state = STREAM_OPEN;
}

static void receive_hello(struct stream *s)
{
	uint8_t answer[HELLO_ANSWER_SIZE];

	if (s->in.len < HELLO_SIZE)
		return;
	if (!hello_check(s->key, s->in.data, &s->hello)) {
		fail(s);
		return;
	}
	memcpy(s->hello_bytes, s->in.data, sizeof(s->hello_bytes));
	buf_drop(&s->in, HELLO_SIZE);
	hello_answer_make(s->key, s->hello_bytes, s->window_in, s->random, answer);
	buf_add(&s->out, answer, sizeof(answer));
	open_seals(s, answer);
}

static void receive_answer(struct stream *s)
{
	uint8_t answer[HELLO_ANSWER_SIZE];

	if (s->in.len < HELLO_ANSWER_SIZE)
		return;
	memcpy(answer, s->in.data, sizeof(answer));
	if (!hello_answer_check(s->key, s->hello_bytes, answer, &s->window_out) ||
	    s->window_out < STREAM_WINDOW_MIN || s->window_out > STREAM_WINDOW_MAX) {
		fail(s);
		return;
	}
	buf_drop(&s->in, HELLO_ANSWER_SIZE);
	open_seals(s, answer);
}

void stream_feed(struct stream *s, const uint8_t *data, size_t len)
{
	if (s->state == STREAM_FAILED)
		return;
	buf_drop(&s->in, s->at);
	s->at = 0;
	buf_add(&s->in, data, len);
	if (s->state != STREAM_HELLO)
		return;
	if (s->self == STREAM_ARUN)
		receive_hello(s);
	else
		receive_answer(s);
}

/* True if the other end may send this frame now. */
static bool allowed(const struct stream *s, const struct frame_header *h)
{
	const struct stream_kind *k = stream_kind(h->type);

	if (!k || k->from == s->self || h->flags || h->request || h->len < k->min ||
	    h->len > k->max)
		return false;
	return !stream_is_data(h->type) || s->held + h->len <= s->window_in;
}

static bool receive_taken(struct stream *s, const uint8_t *body)
{
	uint32_t n = (uint32_t)le_get(body, 4);

	if (n > s->sent)
		return false;
	s->sent -= n;
	return true;
}

/* Take one frame: 1 with it, 0 if incomplete, negative if the other end may not send it. */
static int take_frame(struct stream *s, struct stream_frame *ret_frame)
{
	uint8_t *frame = s->in.data + s->at;
	size_t left = s->in.len - s->at;
	struct frame_header h;
	const uint8_t *body;

	if (left < FRAME_HEADER)
		return 0;
	frame_header_get(frame, &h);
	if (!allowed(s, &h))
		return -EPROTO;
	if (left < (size_t)FRAME_HEADER + h.len + FRAME_SEAL)
		return 0;
	body = frame_open(&s->seal_in, frame, &h);
	if (!body)
		return -EPROTO;
	s->at += (size_t)FRAME_HEADER + h.len + FRAME_SEAL;
	*ret_frame = (struct stream_frame){h.type, body, h.len};
	return 1;
}

int stream_next(struct stream *s, struct stream_frame *ret_frame)
{
	int n;

	while (s->state == STREAM_OPEN) {
		n = take_frame(s, ret_frame);
		if (n > 0 && ret_frame->type == STREAM_TAKEN) {
			if (receive_taken(s, ret_frame->body))
				continue;
			n = -EPROTO;
		}
		if (n > 0 && stream_is_data(ret_frame->type))
			s->held += ret_frame->len;
		if (n < 0)
			fail(s);
		return n;
	}
	return s->state == STREAM_FAILED ? -EPROTO : 0;
}

void stream_send(struct stream *s, enum stream_type type, const void *body, size_t len)
{
	const struct stream_kind *k = stream_kind((uint16_t)type);
	struct frame_header h = {.len = (uint32_t)len, .type = (uint16_t)type};
	uint8_t *at;

	assert(k && k->from & s->self && len >= k->min && len <= k->max);
	if (s->state != STREAM_OPEN)
		return;
	if (stream_is_data(h.type)) {
		assert(len <= stream_room(s));
		s->sent += len;
	}
	at = frame_begin(&s->out, &h, &s->seal_out);
	if (len)
		memcpy(at, body, len);
	frame_end(&s->out, &h, &s->seal_out);
}

size_t stream_room(const struct stream *s)
{
	return s->state == STREAM_OPEN ? s->window_out - s->sent : 0;
}

/* Reported in parts of a quarter of the window. */
void stream_consumed(struct stream *s, size_t len)
{
	uint8_t body[4];

	assert(len <= s->held);
	s->held -= len;
	s->taken += len;
	if (s->taken < s->window_in / 4)
		return;
	le_put(body, (uint32_t)s->taken, 4);
	s->taken = 0;
	stream_send(s, STREAM_TAKEN, body, sizeof(body));
}
