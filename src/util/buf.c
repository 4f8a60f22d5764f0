#include "util/buf.h"
#include "util/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

uint8_t *buf_reserve(struct buf *b, size_t n)
{
	size_t need;

	if (__builtin_add_overflow(b->len, n, &need) || __builtin_add_overflow(need, 1, &need))
		abort();
	GROW(b->data, b->cap, need);
	b->data[b->len] = 0;
	return b->data + b->len;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	uint8_t *at = buf_reserve(b, n);

	if (n)
		memcpy(at, p, n);
	b->len += n;
	b->data[b->len] = 0;
}

void buf_addstr(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	buf_reserve(b, n);
	va_start(ap, fmt);
	vsnprintf((char *)b->data + b->len, n + 1, fmt, ap);
	va_end(ap);
	b->len += n;
}

void buf_drop(struct buf *b, size_t n)
{
	assert(n <= b->len);
	if (!n)
		return;
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
	b->data[b->len] = 0;
}

uint8_t *buf_take(struct buf *b, size_t *ret_len)
{
	uint8_t *p = b->data;

	if (ret_len)
		*ret_len = b->len;
	*b = (struct buf){0};
	return p;
}
