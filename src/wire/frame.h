/*
 * Frames: the layout of messages in a stream of bytes.
 *
 *	length 4, type 2, flags 2 (zero), request 4; then length bytes of body
 *
 * all little endian. In a sealed frame FRAME_SEAL more bytes follow the body, which length does not
 * count, and the header is sealed as associated data. So a receiver detects every frame that was
 * changed, repeated, left out or reordered.
 */
#pragma once

#include "util/buf.h"

#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	FRAME_HEADER = 12,
	FRAME_SEAL = crypto_secretstream_xchacha20poly1305_ABYTES,
	FRAME_CLEAR_MAX = 4096, /* header and body, before the session is open */
};

struct frame_header {
	uint32_t len;
	uint16_t type, flags;
	uint32_t request;
};

/* One direction of an open session. */
struct seal {
	crypto_secretstream_xchacha20poly1305_state state;
};

void frame_header_put(const struct frame_header *h, uint8_t ret_bytes[FRAME_HEADER]);
void frame_header_get(const uint8_t bytes[FRAME_HEADER], struct frame_header *ret_header);

/*
 * key: the session key of one direction. header: a value that both ends know and that is never used
 * twice with this key. The sealing and the opening end pass the same values.
 */
void seal_init(struct seal *s, const uint8_t key[32], const uint8_t header[24]);

/*
 * Append a frame to out in two steps, so that the body is packed in place. frame_begin returns the
 * address for h->len bytes of body; frame_end seals the frame. seal NULL: in clear.
 */
uint8_t *frame_begin(struct buf *out, const struct frame_header *h, const struct seal *seal);
void frame_end(struct buf *out, const struct frame_header *h, struct seal *seal);

/*
 * Open the sealed frame at frame (header, body and seal), in place. Returns its body, or NULL if it
 * is not the next frame of this direction as it was sealed.
 */
uint8_t *frame_open(struct seal *seal, uint8_t *frame, const struct frame_header *h);
