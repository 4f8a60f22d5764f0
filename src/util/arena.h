/*
 * Memory that is freed all at once.
 *
 * One arena per request: everything decoded or built for the request is freed with the arena, so no error
 * path frees single objects. An arena may have a limit. Beyond the limit arena_try() returns NULL, and
 * a decoder then refuses the message. arena_alloc() aborts on a full arena, so use it only for amounts
 * that our own code decides.
 */
#pragma once

#include <stddef.h>

struct arena;
struct shared;

/* limit in bytes, 0 for none. Returns a new arena. */
struct arena *arena_new(size_t limit);
void arena_free(struct arena *a);
/* Empty and reusable; keeps the first block. */
void arena_clear(struct arena *a);
/* NULL if the limit would be exceeded. The memory is not zeroed; it is aligned to 16. */
void *arena_try(struct arena *a, size_t size);
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
void *arena_zalloc(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *a, const char *s);
void *arena_memdup(struct arena *a, const void *p, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Take a reference that ends with the arena, or when it is cleared. NULL: nothing. */
void arena_hold(struct arena *a, struct shared *s);
/*
 * Make room for one more element after the first count of *cap elements of size bytes. The capacity doubles
 * and begins with 8. Returns the array, which may have moved.
 */
void *arena_grow(struct arena *a, void *array, size_t *cap, size_t count, size_t size);
/* Bytes allocated since new or clear. */
size_t arena_used(const struct arena *a);

static inline void arena_freep(struct arena **a)
{
	arena_free(*a);
}
#define CLEANUP_ARENA __attribute__((cleanup(arena_freep)))
