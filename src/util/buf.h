/*
 * A growing byte buffer.
 *
 * The buffer owns its bytes and keeps a NUL after them, so `data` of a text buffer is a C string.
 * Zero-initialised memory is an empty buffer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t len;
	size_t cap;
};

void buf_done(struct buf *b);
/* Empty, keeping the memory. */
void buf_clear(struct buf *b);
/* Make room for n more bytes (and the NUL); returns their address. The caller adds to len. */
uint8_t *buf_reserve(struct buf *b, size_t n);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_addstr(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Drop the first n bytes. */
void buf_drop(struct buf *b, size_t n);
/* Move the bytes to the caller, which frees them; the buffer is empty afterwards. */
uint8_t *buf_take(struct buf *b, size_t *ret_len);

#define CLEANUP_BUF __attribute__((cleanup(buf_done)))
