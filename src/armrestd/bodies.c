/*
 * Bodies of requests (bodies.h). Input: parts of bodies as they arrive. The room of a part is taken
 * before the part is kept, so threads that arrive together do not exceed the bound.
 */
#include "armrestd/bodies.h"

enum bodies_fate bodies_add(struct bodies *b, struct buf *body, const void *data, size_t size)
{
	if (size > b->largest || body->len > b->largest - size)
		return BODIES_TOO_LARGE;
	if (atomic_fetch_add(&b->bytes, size) + size > BODIES_MOST * b->largest) {
		atomic_fetch_sub(&b->bytes, size);
		return BODIES_CROWDED;
	}
	buf_add(body, data, size);
	return BODIES_TAKEN;
}

void bodies_end(struct bodies *b, struct buf *body)
{
	atomic_fetch_sub(&b->bytes, body->len);
	buf_done(body);
}
