/*
 * The bodies of requests in memory: the size of each, and of all together, is bounded.
 */
#pragma once

#include "util/buf.h"

#include <stdatomic.h>
#include <stddef.h>

/* Bodies of the largest size that there may be at a time. */
enum { BODIES_MOST = 64 };

struct bodies {
	size_t largest;      /* rest.body_size */
	atomic_size_t bytes; /* of all bodies */
};

enum bodies_fate {
	BODIES_TAKEN,
	BODIES_TOO_LARGE, /* this one */
	BODIES_CROWDED,   /* all together */
};

/* Adds a part to a body, or says why not. Threads may call it at once, each for a body of its own. */
enum bodies_fate bodies_add(struct bodies *b, struct buf *body, const void *data, size_t size);
/* Frees a body. */
void bodies_end(struct bodies *b, struct buf *body);
