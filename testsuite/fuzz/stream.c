/*
 * Input: bytes for one end of the stream between arun and an io stub. Bit 0 of the first byte
 * selects the end. With bit 1 the rest is frames, which are sealed as the other end would, so that
 * the code behind the seal is reached. Otherwise the bytes are unchanged, after a valid hello (bit
 * 2) or instead of one.
 */
#include "stub/stream.h"

#include "util/mem.h"
#include "wire/frame.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t key[HELLO_KEY] = {1}, random_stub[HELLO_RANDOM] = {2},
		     random_arun[HELLO_RANDOM] = {3};

static void move(struct stream *from, struct stream *to)
{
	struct buf *out = stream_out(from);

	stream_feed(to, out->data, out->len);
	buf_clear(out);
}

/*
 * Checks that each received frame is within the table of frames, and that no more than a window is
 * stored.
 */
static void drain(struct stream *s, size_t window, size_t *held)
{
	struct stream_frame f;

	while (stream_next(s, &f) > 0) {
		const struct stream_kind *k = stream_kind(f.type);

		if (!k || f.len < k->min || f.len > k->max)
			abort();
		*held += stream_is_data(f.type) ? f.len : 0;
		if (*held > window)
			abort();
		if (stream_is_data(f.type) && f.len % 3 == 0) {
			stream_consumed(s, f.len);
			*held -= f.len;
		}
	}
}

/* Type 1, length 2, then the body: sealed with the keys that the other end has. */
static void feed_sealed(struct stream *s, bool to_arun, const uint8_t *data, size_t size,
			size_t window)
{
	const struct hello h = {.rank = 1, .tasks = 2, .attempt = 1};
	uint8_t hello[HELLO_SIZE], answer[HELLO_ANSWER_SIZE];
	struct hello_keys keys;
	struct seal seal;
	size_t held = 0;

	hello_make(key, &h, random_stub, hello);
	hello_answer_make(key, hello, STREAM_WINDOW_MIN, random_arun, answer);
	hello_keys(key, hello, answer, &keys);
	seal_init(&seal, to_arun ? keys.from_stub : keys.from_arun,
		  to_arun ? keys.nonce_stub : keys.nonce_arun);
	while (size >= 3) {
		struct frame_header head = {.type = data[0],
					    .len = data[1] | (uint32_t)data[2] << 8};
		struct buf out CLEANUP_BUF = {0};
		uint8_t *body = frame_begin(&out, &head, &seal);
		size_t given = head.len < size - 3 ? head.len : size - 3;

		memset(body, 0, head.len);
		memcpy(body, data + 3, given);
		frame_end(&out, &head, &seal);
		stream_feed(s, out.data, out.len);
		drain(s, window, &held);
		data += 3 + given;
		size -= 3 + given;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hello h = {.rank = 1, .tasks = 2, .attempt = 1};
	struct stream *stub, *arun, *s;
	bool to_arun, sealed, open;
	size_t held = 0, window;

	if (size == 0)
		return 0;
	to_arun = data[0] & 1;
	sealed = data[0] & 2;
	open = data[0] & 4;
	stub = stream_new_stub(key, &h, random_stub);
	arun = stream_new_arun(key, STREAM_WINDOW_MIN, random_arun);
	s = to_arun ? arun : stub;
	window = to_arun ? STREAM_WINDOW_MIN : STREAM_STDIN_WINDOW;
	if (sealed || open) {
		move(stub, arun);
		move(arun, stub);
	}
	if (sealed) {
		feed_sealed(s, to_arun, data + 1, size - 1, window);
	} else {
		stream_feed(s, data + 1, size - 1);
		drain(s, window, &held);
	}
	stream_free(stub);
	stream_free(arun);
	return 0;
}
