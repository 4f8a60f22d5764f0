/*
 * One end of the stream between a task's io stub and arun, without I/O.
 *
 * It is fed the bytes that arrived and asked for the bytes to send. It opens with a hello
 * (hello.h); from there on every frame (frames.h, laid out as in wire/frame.h) is sealed with
 * libsodium's secretstream, each direction under its own key: private, untampered, in order. What
 * is not the next frame of the other end, or is of a kind or size that it may not send, fails the
 * stream.
 *
 * Neither end can make the other hold more than a window of data: stream_room says how much more
 * may be sent; who receives says stream_consumed when it has got rid of some.
 */
#pragma once

#include "stub/frames.h"
#include "stub/hello.h"
#include "util/buf.h"

struct stream;

enum stream_state { STREAM_HELLO, STREAM_OPEN, STREAM_FAILED };

/* What the stub's input may lie in; and the bounds of what arun lets output lie in. */
enum { STREAM_STDIN_WINDOW = 128 << 10, STREAM_WINDOW_MIN = 64 << 10, STREAM_WINDOW_MAX = 1 << 20 };

/* A frame that arrived. The body is borrowed until the next call. */
struct stream_frame {
	uint16_t type;
	const uint8_t *body;
	size_t len;
};

/* random: 32 fresh bytes. window: of what arun takes, between the bounds above. */
struct stream *stream_new_stub(const uint8_t key[HELLO_KEY], const struct hello *h,
			       const uint8_t random[HELLO_RANDOM]);
struct stream *stream_new_arun(const uint8_t key[HELLO_KEY], uint32_t window,
			       const uint8_t random[HELLO_RANDOM]);
void stream_free(struct stream *s);

enum stream_state stream_state(const struct stream *s);
/* What the stub said; once open. */
const struct hello *stream_hello(const struct stream *s);

void stream_feed(struct stream *s, const uint8_t *data, size_t len);
/* Bytes to send; the caller drops what it sent with buf_drop. */
struct buf *stream_out(struct stream *s);

/* The next whole frame: 1, 0 for none yet, negative when the stream failed. TAKEN stays inside. */
int stream_next(struct stream *s, struct stream_frame *ret_frame);
/* The stream must be open, the length allowed, and data within stream_room. */
void stream_send(struct stream *s, enum stream_type type, const void *body, size_t len);

size_t stream_room(const struct stream *s);
void stream_consumed(struct stream *s, size_t len);
