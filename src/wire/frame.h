/*
 * Frames: how messages lie in the stream of bytes.
 *
 *	length 4, type 2, flags 2 (zero), request 4; then length bytes of body
 *
 * all little endian. In a sealed frame the body is followed by FRAME_SEAL bytes more (length does
 * not count them), and the header goes into the seal as associated data, so nothing of a frame can
 * be changed, and frames can be neither repeated, left out nor reordered.
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
 * key is one direction's session key; header is any value both ends know and that is never used
 * twice with the key. The same for the sealing and the opening end.
 */
void seal_init(struct seal *s, const uint8_t key[32], const uint8_t header[24]);

/*
 * Append a frame to out in two steps, so that the body is packed where it will be sent from: begin
 * returns where h->len bytes of body go, end takes it from there. seal NULL: in clear.
 */
uint8_t *frame_begin(struct buf *out, const struct frame_header *h, const struct seal *seal);
void frame_end(struct buf *out, const struct frame_header *h, struct seal *seal);

/*
 * Open the sealed frame at frame (header, body and seal), in place. Returns its body, or NULL if it
 * is not the next frame of this direction as it was sealed.
 */
uint8_t *frame_open(struct seal *seal, uint8_t *frame, const struct frame_header *h);
