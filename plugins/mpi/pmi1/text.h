/* A growing run of bytes. Zeroed memory is an empty one. */
#pragma once

#include <stddef.h>

struct text {
	char *data;
	size_t len, cap;
};

void text_done(struct text *t);
void text_add(struct text *t, const void *data, size_t len);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Drops the first n bytes. */
void text_drop(struct text *t, size_t n);
