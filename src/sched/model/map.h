/*
 * A hash table of 32-bit handles.
 *
 * It holds {hash, handle} pairs only: the caller of a search passes a function that compares. Open
 * addressing without tombstones; zeroed memory is the empty map.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIL UINT32_MAX

struct map {
	struct map_slot {
		uint32_t hash, value; /* NIL: free */
	} * slots;
	size_t cap, count;
};

typedef bool map_same_fn(const void *arg, uint32_t value, const void *what);

void map_done(struct map *m);
/* The value with that hash that is the same as `what`; NIL: none. */
uint32_t map_find(const struct map *m, uint32_t hash, map_same_fn *same, const void *arg,
		  const void *what);
/* It must not be in the map. */
void map_add(struct map *m, uint32_t hash, uint32_t value);
/* It must be in the map. */
void map_remove(struct map *m, uint32_t hash, uint32_t value);

uint32_t hash_bytes(uint32_t seed, const void *data, size_t len);
uint32_t hash_text(const char *s);
uint32_t hash_u64(uint64_t n);
