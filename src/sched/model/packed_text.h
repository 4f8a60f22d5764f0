/*
 * Texts one after the other, each with its NUL, as in constraints and node classes: equal bytes are
 * equal contents, and pointers into the bytes need no memory of their own.
 */
#pragma once

#include "util/buf.h"

#include <string.h>

static inline void packed_text_put(struct buf *b, const char *s)
{
	s = s ? s : "";
	buf_add(b, s, strlen(s) + 1);
}

/* The text at the cursor; the cursor moves to the next. */
static inline const char *packed_text_take(const char **at)
{
	const char *s = *at;

	*at += strlen(s) + 1;
	return s;
}
