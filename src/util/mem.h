/*
 * Allocation that aborts when no memory is left, checked size arithmetic, and cleanup attributes.
 *
 * The daemons do not continue without memory. Limits on memory for requests of peers are checked before
 * the allocation. So a failed malloc means that the machine has no memory, not that a request was too
 * large.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));
/* n * size zeroed bytes; aborts if the product overflows. */
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1, 2)));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull, alloc_size(2)));
void *xreallocarray(void *old, size_t n, size_t size)
	__attribute__((returns_nonnull, alloc_size(2, 3)));
/* NULL stays NULL. */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
void *xmemdup(const void *p, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/*
 * Grow an array of *cap elements of size bytes to at least need elements. The capacity doubles; a large array
 * grows by an eighth. Returns the array, which may have moved.
 */
void *grow(void *array, size_t *cap, size_t need, size_t size);
#define GROW(array, cap, need) ((array) = grow((array), &(cap), (need), sizeof(*(array))))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void free_ptr(void *p)
{
	free(*(void **)p);
}
#define CLEANUP_FREE __attribute__((cleanup(free_ptr)))

void close_fd(int *fd);
#define CLEANUP_CLOSE __attribute__((cleanup(close_fd)))

/* NULL: there is none. */
void close_file(FILE **file);
#define CLEANUP_FILE __attribute__((cleanup(close_file)))
void close_directory(DIR **directory);
#define CLEANUP_DIR __attribute__((cleanup(close_directory)))
