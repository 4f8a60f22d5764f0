#include "util/shared.h"
#include "util/mem.h"

#include <stdatomic.h>
#include <string.h>

struct counted {
	struct shared shared; /* first member */
	atomic_size_t refs;
	uint8_t data[];
};

struct shared *shared_new(const void *data, size_t len)
{
	struct counted *c = xmalloc(sizeof(*c) + len);

	if (len)
		memcpy(c->data, data, len);
	c->shared = (struct shared){.len = len, .data = c->data};
	atomic_init(&c->refs, 1);
	return &c->shared;
}

struct shared *shared_take(struct shared *s)
{
	if (s)
		atomic_fetch_add_explicit(&((struct counted *)s)->refs, 1, memory_order_relaxed);
	return s;
}

void shared_drop(struct shared *s)
{
	struct counted *c = (struct counted *)s;

	if (c && atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1)
		free(c);
}
