/* A growing run of bytes (text.h). Memory that is used up ends the process, which serves one rank. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_done(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}

void text_add(struct text *t, const void *data, size_t len)
{
	if (len == 0)
		return;
	if (t->cap - t->len < len) {
		t->cap = 2 * t->cap + len + 256;
		t->data = realloc(t->data, t->cap);
		if (!t->data)
			abort();
	}
	memcpy(t->data + t->len, data, len);
	t->len += len;
}

void text_addf(struct text *t, const char *fmt, ...)
{
	char line[2048];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line))
		abort(); /* every text that is formatted is bounded by its caller */
	text_add(t, line, (size_t)n);
}

void text_drop(struct text *t, size_t n)
{
	t->len -= n;
	if (t->len)
		memmove(t->data, t->data + n, t->len);
}
