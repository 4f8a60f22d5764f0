/*
 * One end of the stream between a task's io stub and arun, without I/O.
 *
 * The caller feeds it received bytes and sends the bytes that it produces. It opens with a hello
 * (hello.h); from there on every frame (frames.h, laid out as in wire/frame.h) is sealed with
 * libsodium's secretstream, each direction under its own key: confidential, authenticated, in
 * order. A frame that is out of order, or of a kind or size that the other end may not send, fails
 * the stream.
 *
 * Neither end can make the other hold more than a window of data: stream_room returns how much may
 * be sent; the receiver calls stream_consumed when it has processed data.
 */
#pragma once

#include "stub/frames.h"
#include "stub/hello.h"
#include "util/buf.h"

struct stream;

enum stream_state { STREAM_HELLO, STREAM_OPEN, STREAM_FAILED };

/* The window of the stub's input, and the bounds of arun's window for output. */
enum { STREAM_STDIN_WINDOW = 128 << 10, STREAM_WINDOW_MIN = 64 << 10, STREAM_WINDOW_MAX = 1 << 20 };

/* A received frame. The body is borrowed until the next call. */
struct stream_frame {
	uint16_t type;
	const uint8_t *body;
	size_t len;
};

/* random: 32 fresh bytes. window: how much output arun accepts, between the bounds above. */
struct stream *stream_new_stub(const uint8_t key[HELLO_KEY], const struct hello *h,
			       const uint8_t random[HELLO_RANDOM]);
struct stream *stream_new_arun(const uint8_t key[HELLO_KEY], uint32_t window,
			       const uint8_t random[HELLO_RANDOM]);
void stream_free(struct stream *s);

enum stream_state stream_state(const struct stream *s);
/* The content of the stub's hello; valid once open. */
const struct hello *stream_hello(const struct stream *s);

void stream_feed(struct stream *s, const uint8_t *data, size_t len);
/* Bytes to send; the caller drops what it sent with buf_drop. */
struct buf *stream_out(struct stream *s);

/*
 * The next complete frame: 1; 0 if none; negative when the stream failed. TAKEN is handled
 * internally.
 */
int stream_next(struct stream *s, struct stream_frame *ret_frame);
/* The stream must be open, the length allowed, and data within stream_room. */
void stream_send(struct stream *s, enum stream_type type, const void *body, size_t len);

size_t stream_room(const struct stream *s);
void stream_consumed(struct stream *s, size_t len);
