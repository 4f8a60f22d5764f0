#include "wire/frame.h"

#include "util/le.h"

#include <assert.h>

void frame_header_put(const struct frame_header *h, uint8_t ret_bytes[FRAME_HEADER])
{
	le_put(ret_bytes, h->len, 4);
	le_put(ret_bytes + 4, h->type, 2);
	le_put(ret_bytes + 6, h->flags, 2);
	le_put(ret_bytes + 8, h->request, 4);
}

void frame_header_get(const uint8_t bytes[FRAME_HEADER], struct frame_header *ret_header)
{
	ret_header->len = (uint32_t)le_get(bytes, 4);
	ret_header->type = (uint16_t)le_get(bytes + 4, 2);
	ret_header->flags = (uint16_t)le_get(bytes + 6, 2);
	ret_header->request = (uint32_t)le_get(bytes + 8, 4);
}

void seal_init(struct seal *s, const uint8_t key[32], const uint8_t header[24])
{
	/* init_push makes a random header, which would have to be sent. Both ends know this header, and
	 * init_pull gives the sending end the same state from it. */
	crypto_secretstream_xchacha20poly1305_init_pull(&s->state, header, key);
}

/* The body begins after one byte, the tag of secretstream. */
enum { BODY_AT = FRAME_HEADER + 1 };

uint8_t *frame_begin(struct buf *out, const struct frame_header *h, const struct seal *seal)
{
	uint8_t *at = buf_reserve(out, (size_t)FRAME_HEADER + h->len + FRAME_SEAL);

	frame_header_put(h, at);
	return at + (seal ? BODY_AT : FRAME_HEADER);
}

void frame_end(struct buf *out, const struct frame_header *h, struct seal *seal)
{
	uint8_t *at = out->data + out->len;

	if (seal) {
		/* in place: the plain text is overwritten with the cipher text */
		crypto_secretstream_xchacha20poly1305_push(
			&seal->state, at + FRAME_HEADER, NULL, at + BODY_AT, h->len, at,
			FRAME_HEADER, crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
		out->len += FRAME_SEAL;
	}
	out->len += (size_t)FRAME_HEADER + h->len;
	assert(out->len < out->cap);
	out->data[out->len] = 0;
}

uint8_t *frame_open(struct seal *seal, uint8_t *frame, const struct frame_header *h)
{
	unsigned char tag;

	if (crypto_secretstream_xchacha20poly1305_pull(
		    &seal->state, frame + BODY_AT, NULL, &tag, frame + FRAME_HEADER,
		    (unsigned long long)h->len + FRAME_SEAL, frame, FRAME_HEADER) ||
	    tag != crypto_secretstream_xchacha20poly1305_TAG_MESSAGE)
		return NULL;
	return frame + BODY_AT;
}
