/*
 * An arena as a list of blocks (arena.h). Allocation takes bytes of the newest block; if they do
 * not fit, a new block is added, and the rest of the old one stays unused. arena_clear keeps the
 * first block only. Single objects are never freed.
 */
#include "util/arena.h"
#include "util/mem.h"
#include "util/shared.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 - 64, ALIGN = 16 };

struct block {
	struct block *next;
	size_t size;
	size_t used;
	_Alignas(ALIGN) char data[];
};

struct held {
	struct held *next;
	struct shared *shared;
};

struct arena {
	struct block *head; /* the block being filled */
	struct held *held;  /* in the blocks */
	size_t limit;
	size_t used;
};

static struct block *block_new(size_t size, struct block *next)
{
	struct block *b = xmalloc(sizeof(*b) + size);

	b->next = next;
	b->size = size;
	b->used = 0;
	return b;
}

struct arena *arena_new(size_t limit)
{
	struct arena *a = xmalloc(sizeof(*a));

	a->limit = limit;
	a->used = 0;
	a->held = NULL;
	a->head = block_new(BLOCK, NULL);
	return a;
}

static void drop_held(struct arena *a)
{
	for (; a->held; a->held = a->held->next)
		shared_drop(a->held->shared);
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	drop_held(a);
	for (struct block *b = a->head, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void arena_clear(struct arena *a)
{
	drop_held(a);
	while (a->head->next) {
		struct block *b = a->head;

		a->head = b->next;
		free(b);
	}
	a->head->used = 0;
	a->used = 0;
}

void *arena_try(struct arena *a, size_t size)
{
	size_t need;
	void *p;

	if (__builtin_add_overflow(size, ALIGN - 1, &need))
		return NULL;
	need &= ~(size_t)(ALIGN - 1);
	if (a->limit && (need > a->limit || a->used > a->limit - need))
		return NULL;
	if (a->head->size - a->head->used < need)
		a->head = block_new(need > BLOCK ? need : BLOCK, a->head);
	p = a->head->data + a->head->used;
	a->head->used += need;
	a->used += need;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	void *p = arena_try(a, size);

	if (!p)
		abort();
	return p;
}

void *arena_zalloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		abort();
	p = arena_alloc(a, bytes);
	memset(p, 0, bytes);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_memdup(a, s, strlen(s) + 1) : NULL;
}

void *arena_memdup(struct arena *a, const void *p, size_t n)
{
	void *q = arena_alloc(a, n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	s = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

size_t arena_used(const struct arena *a)
{
	return a->used;
}

void *arena_grow(struct arena *a, void *array, size_t *cap, size_t count, size_t size)
{
	void *more;

	if (count < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 8;
	more = arena_zalloc(a, *cap, size);
	if (count)
		memcpy(more, array, count * size);
	return more;
}

void arena_hold(struct arena *a, struct shared *s)
{
	struct held *h;

	if (!s)
		return;
	h = arena_alloc(a, sizeof(*h));
	*h = (struct held){a->held, shared_take(s)};
	a->held = h;
}
