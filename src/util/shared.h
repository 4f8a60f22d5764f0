/*
 * Bytes that several owners keep, also in different threads: stored once, never changed, and freed
 * with the last reference.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct shared {
	size_t len;
	const uint8_t *data;
};

/* A copy of the bytes, with one reference. */
struct shared *shared_new(const void *data, size_t len);
/* One more reference; returns its argument. NULL stays NULL. */
struct shared *shared_take(struct shared *s);
/* The end of one reference. NULL: nothing. */
void shared_drop(struct shared *s);
